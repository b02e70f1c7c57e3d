"""What to put in the place of a print that is wrong: the whole right form, in LaTeX, in the notes' own symbols.

A display's replacement is its formula; that of prose is the sentence, with formulas between dollars. Those for
one set of notes go together: each is right where the others are made as well. Most are the print with a few
edits, listed here; the others stand in full in ``replacements.toml``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

# after a row break TeX takes a bracket for a distance; here it is nearly always a cross product matrix
ROW_OF_BRACKETS = re.compile(r"\\\\\s*\[(?!-?[\d.]+(?:pt|em|ex|mm|cm)\])")

COMPLIANCE = (r",\quad \mathbf R_\alpha = \gamma\alpha/h^2", "")
COMPLIANCE_OF_ROWS = (r",\quad \mathbf R_\sigma = \gamma\alpha/h^2", "")
SOFT = ((r"\mathbf R_\alpha & 0", r"-\mathbf R_\alpha & 0"),)
TWISTS = ((r"\mathrm{ad}_{\dot{\mathbf v}}^*", r"\mathrm{ad}_{\mathbf v}^*"),)
TWO_BODIES = (
    (r"{}^0\mathbf R\,\Gamma({}^i\mathbf x)", r"{}^0_i\mathbf R\,\Gamma({}^i\mathbf x)"),
    (r"{}^0\mathbf R\,\Gamma({}^j\mathbf x)", r"{}^0_j\mathbf R\,\Gamma({}^j\mathbf x)"),
)
SMALL_ROTATION = ((r"[{}^W\boldsymbol\omega]", r"[{}^W\delta\boldsymbol\omega]"),)
DRIFT_OF_INERTIA = r"(\mathbf M_{%s\beta} - \mathbf G_{\beta%s}^T\mathbf M_{\beta\beta})\mathbf g_\beta"
COLUMN = r"\begin{pmatrix}\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2^TR_2^T\Delta\mathbf x\end{pmatrix}"
TENSION_OVER_LENGTH = r"\Bigl(\frac{f}{\|\Delta\mathbf x\|}\Bigr)"


def _drift(index: str, printed: str, right: str) -> tuple[tuple[str, str], ...]:
    term = DRIFT_OF_INERTIA % (index, index)
    return ((f"{printed} {term}", f"{right} {term}"),)


EDITS: dict[str, tuple[tuple[str, str], ...]] = {
    "lloyd/s0.7/d1": (
        (r"\mathbf N\mathbf x \ge \mathbf n", r"0 \le \mathbf z \perp \mathbf N\mathbf x - \mathbf n \ge 0"),
    ),
    "lloyd/s0.8/d1#b": (
        (r"_\alpha\mathbf A^{-1}\mathbf b", r"_\alpha\mathbf A^{-1}\mathbf b - \mathbf n_\alpha"),
        (r"_\beta\mathbf A^{-1}\mathbf b", r"_\beta\mathbf A^{-1}\mathbf b - \mathbf n_\beta"),
    ),
    "lloyd/s0.9.3/d1": (
        (r"(\dot{\mathbf x}^{k+1},\mathbf x^{k+1})", r"(\mathbf x^{k+1},\dot{\mathbf x}^{k+1})"),
        (r"(\dot{\mathbf x}^k,\mathbf x^k)", r"(\mathbf x^k,\dot{\mathbf x}^k)"),
    ),
    "lloyd/s0.9.3/d4": (
        (r"+ \tfrac{h^2}4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot", r"+ \tfrac h4\tfrac{\partial\mathbf f}{\partial\mathbf x}\dot"),
    ),
    "lloyd/s0.10/d1#a": ((r"\hat{\mathbf M} & \mathbf G^T & \mathbf N^T", r"\hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T"),),
    "lloyd/s0.10/e0.5": (
        (r"\hat{\mathbf M} & \mathbf G^T & \mathbf N^T & \mathbf D^T", r"\hat{\mathbf M} & -\mathbf G^T & -\mathbf N^T & -\mathbf D^T"),
        (r"\\ {} \end", r"\\ 0 \end"),
    ),
    "lloyd/s0.10/e0.6": (
        (r"\perp \boldsymbol\sigma \ge 0", r"\perp \boldsymbol\sigma^+ \ge 0"),
        (r"\perp \boldsymbol\sigma \le 0", r"\perp \boldsymbol\sigma^- \ge 0,\quad \boldsymbol\sigma = \boldsymbol\sigma^+ - \boldsymbol\sigma^-"),
    ),
    "lloyd/s0.11/e0.8": (
        (r"-\boldsymbol\phi_k + \left(\tfrac h2", r"-\boldsymbol\phi_k - \left(\tfrac h2\mathbf I"),
    ),
    "lloyd/s0.14/d11": ((r"\partial\dot{\mathbf x}_i}", r"\partial\dot{\mathbf x}_j}"),),
    "lloyd/s0.15/d2#b": (
        (r"\mathbf v_0 - \sum", r"\mathbf v_0 + \sum"),
        (r"^{(k+1)} - \sum", r"^{(k+1)} + \sum"),
    ),
    "lloyd/s0.16/d3": ((r"v_t \le w", r"v_t \le -w"),),
    "lloyd/s0.17/e0.19": SOFT,
    "lloyd/s0.17/e0.20#b": ((r"\mathbf G' & \mathbf R_\alpha", r"\mathbf G' & -\mathbf R_\alpha"), COMPLIANCE),
    "lloyd/s0.18/e0.25": SOFT,
    "lloyd/s0.18/e0.26#b": (*SOFT, COMPLIANCE),
    "lloyd/s0.21/d1": ((r"\mathbf R_\sigma & 0", r"-\mathbf R_\sigma & 0"),),
    "lloyd/s0.21/d2#b": (
        (r"\mathbf G'_{\sigma\rho} & \mathbf R_\sigma", r"\mathbf G'_{\sigma\rho} & -\mathbf R_\sigma"),
        COMPLIANCE_OF_ROWS,
    ),
    "lloyd/s0.21/d3#g": _drift(r"\alpha", "+", "-"),
    "lloyd/s0.21/d3#h": _drift(r"\rho", "+", "-"),
    "lloyd/s0.21/d3#i": ((r"\mathbf g'_\alpha = \mathbf g_\alpha", r"\mathbf g'_\sigma = \mathbf g_\sigma"),),
    "lloyd/s0.21/d4": _drift(r"\rho", "-", "+"),
    "lloyd/s0.21/d5#a": (
        (r"\mathbf G'^T_{\alpha\alpha}", r"\mathbf G'^T_{\sigma\alpha}"),
        (r"\mathbf G'_{\alpha\alpha}", r"\mathbf G'_{\sigma\alpha}"),
        (r"\mathbf R_\alpha", r"-\mathbf R_\sigma"),
        (r"\mathbf g'_\alpha", r"\mathbf g'_\sigma"),
    ),
    "lloyd/s0.21/d5#b": (
        (r"\mathbf G'_{\sigma\alpha} & \mathbf R_\sigma", r"\mathbf G'_{\sigma\alpha} & -\mathbf R_\sigma"),
        COMPLIANCE_OF_ROWS,
    ),
    "lloyd/s0.22.1/e0.43#b": (
        (r"\boldsymbol\omega_A", r"\delta\boldsymbol\theta_A"),
        (r"\boldsymbol\omega_B", r"\delta\boldsymbol\theta_B"),
    ),
    "lloyd/s0.22.1/e0.44#a": ((r"\times\delta\boldsymbol\omega_A", r"\times\delta\boldsymbol\theta_A"),),
    "lloyd/s0.22.1/e0.44#b": ((r"\times\delta\boldsymbol\omega_A", r"\times\delta\boldsymbol\theta_A"),),
    "lloyd/s0.22.1/d6#a": ((r"\cos(\phi/2)\,\mathbf u", r"\cos(\phi/2)"),),
    "lloyd/s0.22.1/d13#a": ((r"=\mathbf R_{2B}", r"=-\mathbf R_{2B}"),),
    "lloyd/s0.22.1/d15": ((r"=-k_r\mathbf R", r"=+k_r\mathbf R"), (r"_A+k_r\mathbf R", r"_A-k_r\mathbf R")),
    "lloyd/s0.22.1/e0.52": (
        (r"=-k_r\mathbf R", r"=+k_r\mathbf R"),
        (r"_A+k_r\mathbf R", r"_A-k_r\mathbf R"),
        (r"\boldsymbol\tau_B\times", r"{}^B\boldsymbol\tau_{2k}\times"),
    ),
    "lloyd/s0.22.1/e0.53": ((r"\boldsymbol\tau_{1d}", r"\boldsymbol\tau_{2d}"),),
    "lloyd/s0.22.2/e0.57": ((r"-d_r\mathbf R_{AB}", r"+d_r\mathbf R_{AB}"),),
    "lloyd/s0.22.3/d5#a": ((r"\times{}^W\mathbf f_1", r"\times{}^W\mathbf f_1+{}^W\mathbf p_1\times\delta\,{}^W\mathbf f_1"),),
    "lloyd/s0.22.3/d5#b": (
        (r"[{}^W\mathbf p_1]\delta\boldsymbol\theta_A", r"[{}^W\mathbf p_1]\delta\boldsymbol\theta_A+[{}^W\mathbf p_1]\,\delta\,{}^W\mathbf f_1"),
    ),
    "lloyd/s0.23/d5#b": SMALL_ROTATION,
    "lloyd/s0.23/d10#a": SMALL_ROTATION,
    "lloyd/s0.23/d10#b": SMALL_ROTATION,
    "sueda/s1.3/m1#c": (("logarithm", "exponential"),),
    "sueda/s1.4/e1.12#b": (
        (
            r"\underbrace{R_i\bigl(\underbrace{[{}^i\mathbf x]^T\ \ I}_{J}\bigr)}_{\Gamma}",
            r"\underbrace{R_i\underbrace{\bigl([{}^i\mathbf x]^T\ \ I\bigr)}_{\Gamma}}_{J}",
        ),
    ),
    "sueda/s1.4/m1#b": (("(0, 1, 0)^T", "(1, 0, 0)^T"),),
    "sueda/s1.6/e1.23#a": ((r"0 & mI", r"0 & m\mathbf 1"),),
    "sueda/s1.9.3/e1.37#a": (("K = k", "K = -k"),),
    "sueda/s1.9.4/e1.50": (
        (
            r"\frac{\partial}{\partial E}" + TENSION_OVER_LENGTH + COLUMN,
            COLUMN + r"\frac{\partial}{\partial E}" + TENSION_OVER_LENGTH,
        ),
    ),
    "sueda/s1.9.4/e1.51": ((r"K_2 = \frac", r"K_2 = -\frac"),),
    "sueda/s1.9.4/e1.54": (
        (
            r"D = \frac{\partial}{\partial\Phi}" + TENSION_OVER_LENGTH + COLUMN,
            "D = -" + COLUMN + r"\frac{\partial}{\partial\Phi}" + TENSION_OVER_LENGTH,
        ),
    ),
    "sueda/s1.9.4/e1.55#b": ((r"D = \begin", r"D = -\begin"),),
    "sueda/s1.9.4/e1.56": (("f_L' f_V'", "f_L f_V'"),),
    "sueda/s1.9.5/e1.61": (
        (r"\frac{\partial f}{\partial E}\sum_{k=1}^{n-1}f_k", r"\Bigl(\sum_{k=1}^{n-1}f_k\Bigr)\frac{\partial f}{\partial E}"),
    ),
    "sueda/s1.9.5/d2": ((r"^T\Delta\mathbf x\\", r"^T\Delta\mathbf x_k\\"), (r"^T\Delta\mathbf x\end", r"^T\Delta\mathbf x_k\end")),
    "sueda/s1.9.5/e1.62": ((r"K_{k2} = \frac", r"K_{k2} = -\frac"),),
    "sueda/s1.9.5/d3": (
        (
            r"\frac{\partial f}{\partial\Phi}\sum_{k=1}^{n-1}f_k",
            r"-\Bigl(\sum_{k=1}^{n-1}f_k\Bigr)\frac{\partial f}{\partial\Phi}",
        ),
    ),
    "sueda/s1.9.6/e1.65": ((r"- d\frac", r"+ d\frac"),),
    "sueda/s1.9.6/e1.66": (
        (r"- d\frac", r"+ d\frac"),
        (r"-\Gamma_1^TR_1^T\Delta\mathbf x\\ \Gamma_2", r"\Gamma_1^TR_1^T\Delta\mathbf x\\ -\Gamma_2"),
    ),
    "sueda/s1.9.6/e1.67#a": (
        (r"\frac{\partial f_s}{\partial E}\mathsf f_n", r"\mathsf f_n\frac{\partial f_s}{\partial E}"),
        ("K_{n1} + K_{n2}", "K_{n1} - K_{n2}"),
    ),
    "sueda/s1.10/e1.69#a": ((r"{}^j\mathrm{Ad}\,\phi_i", r"{}^j_i\mathrm{Ad}\,\phi_i"), (r"{}^j\mathrm{Ad}\,\phi_k", r"{}^j_k\mathrm{Ad}\,\phi_k")),
    "sueda/s1.10/e1.69#b": (
        (
            r"{}^j\mathrm{Ad} & -{}^j\mathrm{Ad}\,{}^i\mathrm{Ad}\,{}^0\mathrm{Ad}\,{}^k\mathrm{Ad}",
            r"{}^j_i\mathrm{Ad} & -{}^j_i\mathrm{Ad}\,{}^i_0\mathrm{Ad}\,{}^0_k\mathrm{Ad}",
        ),
    ),
    "sueda/s1.11/e1.75": ((r"\dot\phi_i", r"\phi_i"),),
    "sueda/s1.11/e1.77": TWO_BODIES,
    "sueda/s1.11/e1.78#a": TWO_BODIES,
    "sueda/s1.13/e1.84": (("+ N^T", "- N^T"),),
    "sueda/s2.1/e2.9#b": ((r"{}^{J_i}_i\mathrm{Ad}", r"{}^i_{J_i}\mathrm{Ad}"),),
    "sueda/s2.1/e2.11": (
        (
            r"\underbrace{{}_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}}_{{}_p\mathrm{Ad}}",
            r"\underbrace{{}^i_0\mathrm{Ad}\,{}^0_p\mathrm{Ad}}_{{}^i_p\mathrm{Ad}}",
        ),
        (r"\underbrace{{}_i\mathrm{Ad}\,S}_{{}_{J_i}\mathrm{Ad}_S}", r"\underbrace{{}^i_{J_i}\mathrm{Ad}\,S}_{{}^i_{J_i}\mathrm{Ad}_S}"),
    ),
    "sueda/s2.1/e2.13#b": (
        (
            r"{}_2\mathrm{Ad}\,{}_1\mathrm{Ad}_S\,\dot q_1 + {}_2\mathrm{Ad}\,{}_2\mathrm{Ad}_S\,\dot q_2 + {}_3\mathrm{Ad}_S",
            r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1\mathrm{Ad}_S\,\dot q_1 + {}^3_2\mathrm{Ad}\,{}^2\mathrm{Ad}_S\,\dot q_2 + {}^3\mathrm{Ad}_S",
        ),
    ),
    "sueda/s2.1/e2.14": (
        (r"{}_3\mathrm{Ad}\,{}^2\mathrm{Ad}\,{}^1", r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1"),
        (r"{}_3\mathrm{Ad}\,{}^2\mathrm{Ad}_S", r"{}^3_2\mathrm{Ad}\,{}^2\mathrm{Ad}_S"),
        (r"{}_2\mathrm{Ad}\,{}^1", r"{}^2_1\mathrm{Ad}\,{}^1"),
        (r"{}_1\mathrm{Ad}_S", r"{}^1\mathrm{Ad}_S"),
        (r"{}_2\mathrm{Ad}_S", r"{}^2\mathrm{Ad}_S"),
        (r"{}_3\mathrm{Ad}_S", r"{}^3\mathrm{Ad}_S"),
    ),
    "sueda/s2.2/e2.15": ((r"j(i, i) = {}_i\mathrm{Ad}", r"\dot J(i, i) = {}^i_{J_i}\mathrm{Ad}"),),
    "sueda/s2.2/alg2": ((r"+ {}^i_p\mathrm{Ad}\,J", r"+ {}^i_p\dot{\mathrm{Ad}}\,J"),),
    "sueda/s2.4.1/e2.22": ((r"{}^j_{j-1}E", r"{}^{j-1}_jE"),),
    "sueda/s2.4.9/e2.48": ((r"{}^2\mathrm{Ad} & S_1", r"{}^2_1\mathrm{Ad}\,S_1"),),
    "sueda/s2.4.9/e2.52": (
        (r"\left(-\mathrm{ad}", r"\begin{pmatrix} -\mathrm{ad}"),
        (r"\dot S_1 - \dot S_2\right)", r"\dot S_1 & \dot S_2 \end{pmatrix}"),
    ),
    "sueda/s2.4.10/e2.56#a": (
        (
            r"-\mathrm{ad}(S_2\dot q_2) & {}^2\mathrm{Ad}\,S_1 + {}^2\mathrm{Ad}\,\dot S_1",
            r"-\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1",
        ),
    ),
    "sueda/s2.4.10/e2.56#b": ((r"-\dot q_2Q_2^{xy}&0", r"-\dot q_2Q_2^{yx}&0"),),
    "sueda/s2.4.12/alg3#c": ((r"\mathrm{ad}_i\,\Delta C_i\tilde B_i(q)", r"\mathrm{ad}_i\,\Delta C_i\tilde B_i'(q)"),),
    "sueda/s2.4.13/e2.69#c": ((r"\partial q_1q_2", r"\partial q_1\partial q_2"), (r"\partial q_2q_1", r"\partial q_2\partial q_1")),
    "sueda/s2.7/e2.87": ((r"\Gamma(\mathbf x_a)", r"\Gamma({}^i\mathbf x_a)"),),
    "sueda/s2.7/e2.89#b": ((r"J_{am}J_{mr} + J_{am}\dot J_{mr}", r"\dot J_{am}J_{mr} + J_{am}\dot J_{mr}"),),
    "sueda/s2.10/e2.108": (
        (r"{}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S", r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_1\mathrm{Ad}_S"),
        (r"{}^2_1\mathrm{Ad}_1", r"{}^2_1\mathrm{Ad}"),
        (r"{}^3_2\mathrm{Ad}_2", r"{}^3_2\mathrm{Ad}"),
    ),
    "sueda/s2.10/e2.109": (
        (r"{}^3_2\mathrm{Ad}_1\,{}^2_1\mathrm{Ad}_S\,x_1", r"{}^3_2\mathrm{Ad}\,{}^2_1\mathrm{Ad}\,{}^1_1\mathrm{Ad}_S\,x_1"),
        (r"\mathrm{Ad}_1\,", r"\mathrm{Ad}\,"),
        (r"\mathrm{Ad}_1\left", r"\mathrm{Ad}\left"),
        (r"{}^3_2\mathrm{Ad}_2", r"{}^3_2\mathrm{Ad}"),
    ),
    "sueda/s2.10/e2.110": (
        (r"{}^2_1\mathrm{Ad}_S^\top", r"\,{}^2_1\mathrm{Ad}^\top"),
        (r"{}^3_2\mathrm{Ad}_S^\top", r"\,{}^3_2\mathrm{Ad}^\top"),
        (r"{}^4_3\mathrm{Ad}_S^\top", r"\,{}^4_3\mathrm{Ad}^\top"),
    ),
    "sueda/s2.10/e2.111#a": (
        (r"\mathrm{Ad}_S^\top{}^2_{J_2}\mathrm{Ad}_S^\top", r"\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top"),
        (r"\mathrm{Ad}_S^\top{}^3_{J_3}\mathrm{Ad}_S^\top", r"\mathrm{Ad}_S^\top\,{}^3_2\mathrm{Ad}^\top"),
        (r"^\top{}^4_{J_4}\mathrm{Ad}_S^\top", r"^\top\,{}^4_3\mathrm{Ad}^\top"),
        (
            r"+ \cdots",
            r"+ {}^1_{J_1}\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top\,{}^3_2\mathrm{Ad}^\top y_3 + {}^1_{J_1}\mathrm{Ad}_S^\top\,{}^2_1\mathrm{Ad}^\top"
            r"\,{}^3_2\mathrm{Ad}^\top\,{}^4_3\mathrm{Ad}^\top y_4",
        ),
    ),
    "sueda/s2.10/e2.112": (
        (r"\alpha_4 &= {}^4_{J_4}\mathrm{Ad}_S^\top", r"\alpha_4 &= {}^4_3\mathrm{Ad}^\top"),
        (r"\alpha_3 &= {}^3_{J_3}\mathrm{Ad}_S^\top", r"\alpha_3 &= {}^3_2\mathrm{Ad}^\top"),
        (r"\alpha_2 &= {}^2_{J_2}\mathrm{Ad}_S^\top", r"\alpha_2 &= {}^2_1\mathrm{Ad}^\top"),
    ),
    "sueda/s2.11/e2.113": ((r"- \alpha^T N(", r"+ \alpha^T N("),),
    "sueda/s2.11/e2.117#a": ((r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot"),),
    "sueda/s2.11/e2.117#b": (
        (r"\dot q_m^{\text{con}\beta} - \dot q_m^{\text{unc}\beta}", r"\dot q_m^{\text{con}\beta} + h\dot J_{mr}\dot q_r^{\text{prev}} - \dot q_m^{\text{unc}\beta}"),
    ),
    "sueda/s2.11/e2.118": (("= h", "= -h"),),
    "sueda/s2.11.1/e2.119#b": ((r"\dot q_m^{\text{con}\beta} =", r"\dot q_r^{\text{con}\beta} ="),),
    "sueda/s2.11.1/e2.120": ((r"M_m J_{mr}\dot", r"M_m\dot J_{mr}\dot"),),
    "sueda/s2.12/e2.127": ((r"\lambda_c \le 0", r"\lambda_c \ge 0"),),
    "si/s3/e2": ((r"\mathbf t\mathbf R &", r"[\mathbf t]\mathbf R &"),),
    "si/s3/e3": ((r"v_1 & [\omega_1]", r"[v_1] & [\omega_1]"),),
    "si/s4/e12": ((r"\partial q_i^1}\dot q_i +", r"\partial q_i^1}\dot q_i^1 +"),),
    "si/s4/e21": ((r"\mathbf f_{e,i}", r"\mathbf f_{e,k}"),),
    "si/s4/e30": ((r"^{-1}}\bar", r"^{-1}}^*\bar"),),
    "si/s4/e31": ((r"\bar{\mathbf v}", r"\bar{\boldsymbol\tau}"),),
    "si/s4/e32": ((r"\bar{\mathbf v}", r"\bar{\boldsymbol\tau}"),),
    "si/sA/e37": ((r"= \dot{\mathbf S}\dot{", r"= \mathbf S\ddot{"),),
    "si/sA/e42": ((r"= \mathbf G_\lambda\dot{\mathbf S}\dot{", r"= \mathbf G_\lambda\mathbf S\ddot{"),),
    "si/sA/d9": ((r"\mathrm{ad}_{\dot{\mathbf v}", r"\mathrm{ad}_{\mathbf v"),),
    "si/sA/d10": ((r"\cdots & \mathbf f_{e,n}", r"\cdots & -\mathbf f_{e,n}"),),
    "si/sA/e46": TWISTS,
    "si/sA/e47": TWISTS,
    "si/sA/e49": (*TWISTS, (r"\mathbf J\mathbf G_\lambda\mathbf S\dot{\mathbf q} +", r"\mathbf J\mathbf G_\lambda\mathbf S\ddot{\mathbf q} +")),
    "si/sA/e52": TWISTS,
    "si/sB/e57": TWISTS,
}  # fmt: skip
"""By id of the record: pairs of what is printed and what should stand there."""


@cache
def in_full() -> dict[str, str]:
    """By id of the record: what should stand there."""
    text = (resources.files("rbnotes.ledger") / "replacements.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def replacement(id: str, formula: str) -> str:
    """Return the correction of a record's printed formula; empty if none is listed.

    Raises
    ------
    ValueError
        If a part to be edited is not in the printed formula.
    """
    if id not in EDITS:
        text = in_full().get(id, "").strip()
        return brackets_in_rows(in_full().get(text, text).strip())
    for printed, right in EDITS[id]:
        if printed not in formula:
            raise ValueError(f"{id}: {printed!r} is not in the printed form")
        formula = formula.replace(printed, right)
    return brackets_in_rows(formula)


def brackets_in_rows(tex: str) -> str:
    """Return the same formula, with brackets after row breaks marked as brackets.

    TeX would read such a bracket as the optional distance of the row break.
    """
    return ROW_OF_BRACKETS.sub(r"\\\\{}[", tex)
