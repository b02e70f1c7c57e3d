"""Root causes: one slip of the notes that explains several of their corrections."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cause:
    """One slip, and the corrections that it explains.

    Attributes
    ----------
    title
        The slip in a few words.
    text
        Correction that mends all of them (text with TeX between dollars).
    ids
        Records, the one that shows it best first.
    """

    title: str
    text: str
    ids: tuple[str, ...]


CAUSES = (
    Cause(
        "Multipliers pull where contacts push",
        r"The systems of 0.10 have $+\mathbf G^T$, $+\mathbf N^T$ and $+\mathbf D^T$ in their first rows, so that $-\mathbf N^T\boldsymbol\theta$"
        r" acts on the bodies: an impulse $\boldsymbol\theta \ge 0$ then pulls them together. (0.3) and the matrix for friction in a pyramid have the minus.",
        ("lloyd/s0.10/d1#a", "lloyd/s0.10/e0.5"),
    ),
    Cause(
        "The sign of the regularization",
        r"Where $+\mathbf G^T$ stands in the first row of a KKT system, compliance enters as $-\mathbf R$; (0.9), which 0.17 takes over, has"
        r" $-\mathbf G^T$ above $+\mathbf R$. From 0.17 on the two are mixed, and a soft constraint becomes one of negative compliance.",
        (
            "lloyd/s0.17/t752", "lloyd/s0.17/e0.19", "lloyd/s0.17/e0.20#b", "lloyd/s0.18/e0.25", "lloyd/s0.18/e0.26#b",
            "lloyd/s0.21/d1", "lloyd/s0.21/d2#b", "lloyd/s0.21/d5#b",
        ),
    ),
    Cause(
        "The inertia of the drift",
        r"The drift $\mathbf g_\beta$ of the attachments enters the forces as in (0.23), with $-(\mathbf M_{\alpha\beta} -"
        r" \mathbf G_{\beta\alpha}^T\mathbf M_{\beta\beta})\mathbf g_\beta$. 0.21 has a plus, and its force on the controlled components, solved for,"
        r" has the opposite sign in consequence.",
        ("lloyd/s0.21/d3#g", "lloyd/s0.21/d3#h", "lloyd/s0.21/d4"),
    ),
    Cause(
        "The order of arguments of the force",
        r"0.9 introduces $\mathbf f(\mathbf x, \dot{\mathbf x})$, positions first; two displays after it have the velocities first.",
        ("lloyd/s0.9.3/d1", "lloyd/s0.9.4/t334"),
    ),
    Cause(
        "One letter for both bounds of a box",
        r"A velocity can press against a lower and an upper bound, and each needs a part of its own, $\boldsymbol\sigma^+$ and"
        r" $\boldsymbol\sigma^-$. With one $\boldsymbol\sigma$ for both, neither may slip.",
        ("lloyd/s0.10/e0.6", "lloyd/s0.16/t724"),
    ),
    Cause(
        "A zero block that is lost",
        r"The vectors of constants have a block for each row of their matrix; the last one, $0$, is not printed.",
        ("lloyd/s0.10/e0.5#b", "lloyd/s0.10/d2#c"),
    ),
    Cause(
        "Forces that vary with the axes of their body",
        r"A force in the axes of body A varies by $\mathbf f_{Ad}\times\delta\boldsymbol\theta_A$ when these turn; printed is the variation for other axes.",
        ("lloyd/s0.22.1/e0.44#a", "lloyd/s0.22.1/e0.44#b"),
    ),
    Cause(
        "The torque on B is minus the torque on A",
        r"The torques of a frame spring on its two bodies are opposite. The displays for body B are those for A with other letters, their signs kept;"
        r" the assembled matrices have them right.",
        ("lloyd/s0.22.1/d15", "lloyd/s0.22.1/e0.52", "lloyd/s0.22.1/e0.53", "lloyd/s0.22.2/e0.57"),
    ),
    Cause(
        "The moment of a force that varies",
        r"In world axes the moment $\mathbf p_1\times\mathbf f_1$ varies with both factors; the variation of the force is left out.",
        ("lloyd/s0.22.3/d5#a", "lloyd/s0.22.3/d5#b"),
    ),
    Cause(
        "An angular velocity in the place of a small rotation",
        r"Variations of a pose are $\delta\boldsymbol\theta$ (0.22) or $\delta\boldsymbol\omega$ (0.23); the $\delta$ is lost in several displays, and"
        r" what is left is the angular velocity.",
        (
            "lloyd/s0.22.1/e0.43#b", "lloyd/s0.22.1/t1056#b",
            "lloyd/s0.23/d5#b", "lloyd/s0.23/d10#a", "lloyd/s0.23/d10#b", "lloyd/s0.23/t1331",
        ),
    ),
    Cause(
        "The sign of stiffness and damping",
        r"(1.30), $(M + hD - h^2K)\phi^{(k+1)} = M\phi^{(k)} + hf$, wants $K = +\partial f/\partial E$ and $D = -\partial f/\partial\phi$. Half of the matrices that"
        r" are put into it have the opposite sign. One convention, $K = +\partial f/\partial E$ and $D = +\partial f/\partial\phi$ with $M - hD - h^2K$,"
        r" mends them all.",
        (
            "sueda/s1.9.3/e1.37#a", "sueda/s1.9.4/e1.51", "sueda/s1.9.4/e1.54", "sueda/s1.9.4/e1.55#b",
            "sueda/s1.9.5/e1.62", "sueda/s1.9.5/d3", "sueda/s1.9.6/e1.67#a", "sueda/s1.9.6/e1.67#b",
            "sueda/s1.9.6/e1.68#b",
        ),
    ),
    Cause(
        "Row times column for column times row",
        r"The derivative of a product $f\mathsf n$ is the matrix $\mathsf n\,\partial f/\partial E + f\,\partial\mathsf n/\partial E$, in this order.",
        ("sueda/s1.9.4/e1.50", "sueda/s1.9.5/e1.61"),
    ),
    Cause(
        "Which way a spring-damper pulls",
        r"A spring that is too long and a damper whose ends separate pull the same way. (1.65) gives them opposite signs, and (1.66) turns the direction"
        r" around besides.",
        ("sueda/s1.9.6/e1.65", "sueda/s1.9.6/e1.66"),
    ),
    Cause(
        "The sign of the stiffness of joints",
        r"$K_r$ is defined as minus the derivative of the torque and added as if it were plus the derivative, while $K_m$ is plus the derivative.",
        ("sueda/s2.5/e2.79#a", "sueda/s2.13/alg10#b"),
    ),
    Cause(
        "Lost indices of adjoints",
        r"An adjoint ${}^a_b\mathrm{Ad}$ takes twists from $b$ to $a$; without one of its indices a product cannot be read, or reads wrongly.",
        (
            "sueda/s2.1/e2.11", "sueda/s1.10/e1.69#a", "sueda/s2.1/e2.14", "sueda/s2.2/e2.15", "sueda/s2.10/e2.108",
            "sueda/s2.10/e2.109",
        ),
    ),
    Cause(
        "The transpose of a chain's Jacobian",
        r"Transposed, each entry ends with the $S$ of its own joint and goes on with adjoints alone, as Algorithm 6 does. (2.110) to (2.112) put"
        r" the $S$ of every joint on the way into it.",
        ("sueda/s2.10/e2.110", "sueda/s2.10/e2.111#a", "sueda/s2.10/e2.111#b", "sueda/s2.10/e2.112"),
    ),
    Cause(
        "The rate of two joints in a row",
        r"The rate of ${}^2_1\mathrm{Ad}\,S_1$ is one block, $-\mathrm{ad}(S_2\dot q_2)\,{}^2_1\mathrm{Ad}\,S_1 + {}^2_1\mathrm{Ad}\,\dot S_1$; signs and"
        r" separators between blocks are lost.",
        ("sueda/s2.4.9/e2.52", "sueda/s2.4.9/e2.48", "sueda/s2.4.10/e2.56#a"),
    ),
    Cause(
        "Bounds of friction in a joint",
        r"The contacts of a joint hold both ways, so that $\alpha$ may be negative; friction is bounded by $\mu|\alpha|$.",
        ("sueda/s2.11/t1487", "sueda/s2.11/t1493"),
    ),
    Cause(
        "The sign of multipliers in the dual",
        r"(2.122) with $+\bar G_r^\top\lambda$ and (2.123) have multipliers of opposite signs; what is taken from one to the other changes sign.",
        ("sueda/s2.12/e2.122#b", "sueda/s2.12/e2.127", "sueda/s2.9/t1306#b"),
    ),
    Cause(
        "The dot of the rate of the Jacobian",
        r"The velocity-dependent term of the bodies is $M_m\dot J_{mr}\dot q_r$; the dot above $J$ is lost.",
        ("sueda/s2.11/e2.117#a", "sueda/s2.11.1/e2.120", "sueda/s2.10/t1314#c"),
    ),
    Cause(
        "The acceleration of the drift, left out of a difference of velocities",
        r"The bodies' constrained velocities differ from their unconstrained ones by the reactions *and* by $h\dot J_{mr}\dot q_r$.",
        ("sueda/s2.11/e2.117#b", "sueda/s2.11.1/e2.119#a"),
    ),
    Cause(
        "A dot on the twist in the dual bracket",
        r"The wrenches of steady twists are $\mathrm{ad}_{\mathbf v}^*\mathbf J\mathbf v$. Appendices A and B print $\mathrm{ad}_{\dot{\mathbf v}}^*$ throughout, which"
        r" (4), (13) and (21) do not have.",
        ("si/sA/d9", "si/sA/e46", "si/sA/e47", "si/sA/e49", "si/sA/e52", "si/sB/e57"),
    ),
    Cause(
        "One dot too few on the accelerations of joints",
        r"The first term of the rates of twists is $\mathbf S\ddot{\mathbf q}$; printed is $\dot{\mathbf S}\dot{\mathbf q}$ twice.",
        ("si/sA/e37", "si/sA/e42"),
    ),
    Cause(
        "Hats and brackets",
        r"Twists are vectors and $4\times4$ matrices, points are vectors and cross product matrices; the marks that tell them apart are lost.",
        ("si/s3/t61", "si/s3/e2", "si/s3/t67", "si/s3/e3"),
    ),
    Cause(
        "What is left of the joint forces",
        r"The recursion uses $\bar{\boldsymbol\tau}$ of (26); (31) and (32) print $\bar{\mathbf v}$.",
        ("si/s4/e31", "si/s4/e32"),
    ),
)  # fmt: skip
