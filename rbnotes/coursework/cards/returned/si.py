"""What comes back for claims of the notes of Si and Guenter."""

from __future__ import annotations

from rbnotes.coursework.cards.wordings import IN_THE_BODY, OF_JOINTS, POSES, TWISTS

SI: dict[str, dict[str, str]] = {
    "1": {
        "origins of the joints, in the world": "t23#a",
        "of each body: three rows of the rate of its pose in the world, then of the second rate": "t23#b",
    },
    "2": {OF_JOINTS: "t31"},
    "3": {
        "of the body in the world": "d1",
        IN_THE_BODY: "e1 t59 t71 e4 e5",
        "in the frame of a and b": "d2 t67 e3",
        "of the motion as the outer frame sees it": "t61 e2",
        "in the frame whose pose T is": "d3#a",
        "in the frame of g and f": "d3#b",
    },
    "4": {
        POSES: "e6",
        "of each body, in its frame, once by each form": "e7",
        "a column for each coordinate, in the frame of the body of its joint": "e9",
        "of the adjoint that takes twists of the world to the frame of the body": "t105",
        "of the adjoints that take twists of the parent to the frame of each body": "e10",
        "a column for each coordinate, in the frame that the joint moves": "e12",
        "origin of the frame G, then the twist and its rate in the frame that the joint moves": "t129",
        "operations, counted, then one for each joint": "t139",
        "on each body, in its frame": "e13 e14 e21 e23 e24 e31",
        "of each body, about its origin, in its frame": "e27",
        "of the joints, in their order: a block for each, row by row": "e28",
        "takes wrenches on each body to the frame of its parent": "e29",
        "a column for each coordinate, in the frame of the parent": "e30",
        "rank for a hinge, for two surfaces, for any motion, then the fraction": "t189",
        TWISTS: "e8 e11 e18 e19 e20 e22 e34",
        OF_JOINTS: "*",
    },
    "5": {
        "coordinates of joints: of the two kinds": "fig1",
        "one for each example": "table1",
        "of the two joints": "t218",
    },
    "6": {
        "rank at the lock of the first angles, then rates of the other angles": "t234#a",
        "of the moving frame in the fixed one, with the shortest rotation": "t234#b",
    },
    "A": {
        "of all bodies, each in its frame: a column for each coordinate of the joints": "d4",
        "takes twists of parents to the frames of their bodies": "d5 e43",
        "of all bodies, each in its frame": "d6 e44 e45",
        "ranks of the powers": "t292",
        "on all bodies, each in its frame": "d8 d9 d10 e46 e47",
        TWISTS: "d1 e36 e37 e38 e39 e40 e41 e42",
        OF_JOINTS: "*",
    },
    "B": {
        TWISTS: "e56",
        "on all bodies, each in its frame": "e57",
        "rates of twists, wrenches, gathered ones, of each body in its frame; then of the joints": "t352#a",
        "takes twists down the tree, each in the frame of its body": "e59",
        "one step down the tree, then the step times the whole, each in the frame of its body": "e60",
        OF_JOINTS: "*",
    },
    "C": {"of the adjoint that takes twists of the world to the frame of the body": "*"},
}
