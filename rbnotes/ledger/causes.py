"""Root causes: one slip of the notes that explains several of their corrections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SharedCause:
    """Slip of the notes that explains several corrections.

    Attributes
    ----------
    title
        The slip in a few words.
    text
        Correction of all places (text with TeX between dollars).
    ids
        Records; the first one shows the slip most clearly.
    """

    title: str
    text: str
    ids: tuple[str, ...]


CAUSES = (
    SharedCause(
        "Multipliers pull where contacts push",
        r"The systems of 0.10 have $+\mathbf G^T$, $+\mathbf N^T$ and $+\mathbf D^T$ in their first rows, so that $-\mathbf N^T\boldsymbol\theta$"
        r" acts on the bodies: an impulse $\boldsymbol\theta \ge 0$ then pulls them together. (0.3) and the matrix for pyramid friction have the minus sign.",
        ("lloyd/s0.10/d1#a", "lloyd/s0.10/e0.5"),
    ),
    SharedCause(
        "The inertia of the drift",
        r"The drift $\mathbf g_\beta$ of the attachments enters the forces as in (0.23), with $-(\mathbf M_{\alpha\beta} -"
        r" \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta$. Section 0.21 has a plus sign; its force on the controlled components"
        r" therefore has the opposite sign.",
        ("lloyd/s0.21/d3#g", "lloyd/s0.21/d3#h", "lloyd/s0.21/d4"),
    ),
    SharedCause(
        "The order of arguments of the force",
        r"Section 0.9 introduces $\mathbf f(\mathbf x, \dot{\mathbf x})$ with the positions first; two later displays have the velocities first.",
        ("lloyd/s0.9.3/d1", "lloyd/s0.9.4/t334"),
    ),
    SharedCause(
        "One letter for both bounds of a box",
        r"The lower and the upper bound of an impulse need separate complementary velocities, $\boldsymbol\sigma^+$ and"
        r" $\boldsymbol\sigma^-$. One $\boldsymbol\sigma$ for both bounds must vanish, so that slipping is impossible.",
        ("lloyd/s0.10/e0.6", "lloyd/s0.16/t724"),
    ),
    SharedCause(
        "A missing zero block",
        r"The vectors of constants have a block for each block row of their matrix; the last one, $0$, is not printed.",
        ("lloyd/s0.10/e0.5#b", "lloyd/s0.10/d2#c"),
    ),
    SharedCause(
        "Forces that vary with the axes of their body",
        r"A force in the axes of body A varies by $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$ when these rotate; the printed term has"
        r" $\delta\boldsymbol\omega_A$, the variation of the angular velocity.",
        ("lloyd/s0.22.1/e0.44#a", "lloyd/s0.22.1/e0.44#b"),
    ),
    SharedCause(
        "The torque on B is minus the torque on A",
        r"The torques of a frame spring on its two bodies are opposite. The displays for body B are those for A with other letters and the same signs;"
        r" the assembled matrices are correct.",
        ("lloyd/s0.22.1/d15", "lloyd/s0.22.1/e0.52", "lloyd/s0.22.1/e0.53", "lloyd/s0.22.2/e0.57"),
    ),
    SharedCause(
        "The moment of a force that varies",
        r"In world axes, the moment $\mathbf p_1\times\mathbf f_1$ varies with both factors; the printed form omits the variation of the force.",
        ("lloyd/s0.22.3/d5#a", "lloyd/s0.22.3/d5#b"),
    ),
    SharedCause(
        "An angular velocity instead of a small rotation",
        r"Variations of a pose are $\delta\boldsymbol\theta$ (0.22) or $\delta\boldsymbol\omega$ (0.23); several displays lack the $\delta$, so that"
        r" they contain the angular velocity.",
        (
            "lloyd/s0.22.1/e0.43#b", "lloyd/s0.22.1/t1056#b",
            "lloyd/s0.23/d5#b", "lloyd/s0.23/d10#a", "lloyd/s0.23/d10#b", "lloyd/s0.23/t1331",
        ),
    ),
    SharedCause(
        "The sign of stiffness and damping",
        r"(1.30), $(M + hD - h^2K)\phi^{(k+1)} = M\phi^{(k)} + hf$, requires $K = +\partial f/\partial E$ and $D = -\partial f/\partial\phi$. Half of the matrices"
        r" that enter it have the opposite sign. One convention corrects them all: $K = +\partial f/\partial E$ and $D = +\partial f/\partial\phi$ with"
        r" $M - hD - h^2K$.",
        (
            "sueda/s1.9.3/e1.37#a", "sueda/s1.9.4/e1.51", "sueda/s1.9.4/e1.54", "sueda/s1.9.4/e1.55#b",
            "sueda/s1.9.5/e1.62", "sueda/s1.9.5/d3", "sueda/s1.9.6/e1.67#a", "sueda/s1.9.6/e1.67#b",
            "sueda/s1.9.6/e1.68#b",
        ),
    ),
    SharedCause(
        "Row times column instead of column times row",
        r"The derivative of a product $f\mathsf n$ is the matrix $\mathsf n\,\partial f/\partial E + f\,\partial\mathsf n/\partial E$, in this order.",
        ("sueda/s1.9.4/e1.50", "sueda/s1.9.5/e1.61"),
    ),
    SharedCause(
        "The direction of the force of a spring-damper",
        r"A stretched spring and a damper whose ends separate pull in the same direction. (1.65) gives them opposite signs, and (1.66) also reverses the"
        r" direction.",
        ("sueda/s1.9.6/e1.65", "sueda/s1.9.6/e1.66"),
    ),
    SharedCause(
        "The sign of the stiffness of joints",
        r"$K_r$ is defined as minus the derivative of the torque but added like $K_m$, which is plus the derivative.",
        ("sueda/s2.5/e2.79#a", "sueda/s2.13/alg10#b"),
    ),
    SharedCause(
        "Missing indices of adjoints",
        r"An adjoint ${}^a_b\mathrm{Ad}$ transforms twists from $b$ to $a$; without one of its indices, a product is ambiguous or wrong.",
        (
            "sueda/s2.1/e2.11", "sueda/s1.10/e1.69#a", "sueda/s2.1/e2.14", "sueda/s2.2/e2.15", "sueda/s2.10/e2.108",
            "sueda/s2.10/e2.109",
        ),
    ),
    SharedCause(
        "The transpose of a chain's Jacobian",
        r"Each entry of the transpose contains the $S$ of its own joint and otherwise only adjoints, as in Algorithm 6. (2.110) to (2.112) also contain"
        r" the $S$ of every joint in between.",
        ("sueda/s2.10/e2.110", "sueda/s2.10/e2.111#a", "sueda/s2.10/e2.112"),
    ),
    SharedCause(
        "The rate of two joints in series",
        r"The rate of ${}^2_1\mathrm{Ad}\,S_1$ is one block, $-\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1$; the print lacks"
        r" signs and separators between blocks.",
        ("sueda/s2.4.9/e2.52", "sueda/s2.4.9/e2.48", "sueda/s2.4.10/e2.56#a"),
    ),
    SharedCause(
        "Bounds of friction in a joint",
        r"The contacts of a joint act in both directions, so that $\alpha$ can be negative; friction is bounded by $\mu|\alpha|$.",
        ("sueda/s2.11/t1491#c", "sueda/s2.11/t1493"),
    ),
    SharedCause(
        "The sign of multipliers in the dual",
        r"(2.122) with $+\bar G_r^\top\lambda$ and (2.123) have multipliers of opposite signs, so that terms change sign from one to the other.",
        ("sueda/s2.12/e2.122#b", "sueda/s2.12/e2.127", "sueda/s2.9/t1306#b"),
    ),
    SharedCause(
        "The dot of the rate of the Jacobian",
        r"The velocity-dependent term of the bodies is $M_m\dot J_{mr}\dot q_r$; the print lacks the dot above $J$.",
        ("sueda/s2.11/e2.117#a", "sueda/s2.11.1/e2.119#c", "sueda/s2.11.1/e2.120", "sueda/s2.10/t1314#c"),
    ),
    SharedCause(
        "The missing bias acceleration in a difference of velocities",
        r"The constrained velocities of the bodies differ from the unconstrained ones by the reactions *and* by $h\dot J_{mr}\dot q_r$.",
        ("sueda/s2.11/e2.117#b", "sueda/s2.11.1/e2.119#a"),
    ),
    SharedCause(
        "A dot on the twist in the dual bracket",
        r"The wrenches at constant twists are $\mathrm{ad}_{\mathbf v}^*\mathbf J\mathbf v$. Appendices A and B print $\mathrm{ad}_{\dot{\mathbf v}}^*$ throughout, in"
        r" contrast to (4), (13) and (21).",
        ("si/sA/d9", "si/sA/e46", "si/sA/e47", "si/sA/e49", "si/sA/e52", "si/sB/e57"),
    ),
    SharedCause(
        "A missing dot on the joint accelerations",
        r"The first term of the rates of twists is $\mathbf S\ddot{\mathbf q}$; the printed equation has $\dot{\mathbf S}\dot{\mathbf q}$ twice.",
        ("si/sA/e37", "si/sA/e42"),
    ),
    SharedCause(
        "Hats and brackets",
        r"A twist is a vector or a $4\times4$ matrix, and a point is a vector or a cross product matrix; the print lacks the marks that distinguish them.",
        ("si/s3/t61", "si/s3/e2", "si/s3/t67", "si/s3/e3"),
    ),
    SharedCause(
        "The remaining joint forces",
        r"The recursion uses $\bar{\boldsymbol\tau}$ of (26); (31) and (32) print $\bar{\mathbf v}$.",
        ("si/s4/e31", "si/s4/e32"),
    ),
)  # fmt: skip
