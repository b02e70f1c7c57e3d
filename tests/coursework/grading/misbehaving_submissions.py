"""Misbehaving submissions: their code instead of doubling, and the expected messages.

Each also triples, rightly. `{canary}` is a file of somebody else's, `{parent}` the number of the grader's process.
"""

TRIPLE = """

def triple(x):
    return 3 * x
"""

# name: (source, status of double, whether triple still passes)
VARIANTS = {
    "endless loop": ("def double(x):\n    while True:\n        pass", "timeout", True),
    "endless loop that catches all": (
        "def double(x):\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass",
        "timeout",
        True,
    ),
    "sleeps": ("import time\n\ndef double(x):\n    time.sleep(1000)", "timeout", True),
    "loops when loaded": ("while True:\n    pass", "timeout", False),
    "endless recursion": ("def double(x):\n    return double(x)", ("exception", "timeout"), True),
    "recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10**9)\n\ndef double(x):\n    return [double(x)]",
        ("crash", "exception", "timeout"),
        True,
    ),
    "os._exit": ("import os\n\ndef double(x):\n    os._exit(0)", "crash", True),
    "os._exit when loaded": ("import os\nos._exit(0)", "crash", False),
    "sys.exit": ("import sys\n\ndef double(x):\n    sys.exit(0)", "exception", True),
    "sys.exit when loaded": ("import sys\nsys.exit(0)", "exception", False),
    "raises KeyboardInterrupt": ("def double(x):\n    raise KeyboardInterrupt", "exception", True),
    "an error that cannot be printed": (
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\n\n"
        "def double(x):\n    raise Odd",
        "exception",
        True,
    ),
    "a segmentation fault": ("import ctypes\n\ndef double(x):\n    ctypes.string_at(0)", "crash", True),
    "os.abort": ("import os\n\ndef double(x):\n    os.abort()", "crash", True),
    "no Python": ("def double(x:\n    return 2 * x", "syntax", False),
    "nothing of the name": ("def twofold(x):\n    return 2 * x", "missing", True),
    "no function": ("double = 2", "missing", True),
    "50 MB of prints": (
        "def double(x):\n    for _ in range(50):\n        print('x' * 10**6)\n    return 2 * x",
        "output limit",
        True,
    ),
    "50 MB past Python": (
        "import os\n\ndef double(x):\n    try:\n        for _ in range(50):\n            os.write(1, b'x' * 10**6)\n"
        "    except OSError:\n        pass\n    return 2 * x",
        "output limit",
        True,
    ),
    "a huge array": (
        "import numpy as np\n\ndef double(x):\n    return np.zeros(10**6)",
        "output limit",
        True,
    ),
    "more memory than there is": (
        "import numpy as np\n\ndef double(x):\n    return np.ones(10**11)",
        "exception",
        True,
    ),
    "memory a bit at a time": (
        "def double(x):\n    kept = []\n    while True:\n        kept.append(bytearray(10**7))",
        ("exception", "timeout"),
        True,
    ),
    "a large file": (
        "def double(x):\n    with open('big', 'wb') as file:\n        while True:\n            file.write(bytes(10**6))",
        "exception",
        True,
    ),
    "400 MB in small files": (
        "def double(x):\n    for number in range(400):\n        with open(f'small-{{number}}', 'wb') as file:\n"
        "            file.write(bytes(10**6))\n    return 2 * x",
        "exception",
        True,
    ),
    "100,000 empty files": (
        "def double(x):\n    for number in range(100_000):\n        open(f'empty-{{number}}', 'w').close()\n    return 2 * x",
        "exception",
        True,
    ),
    "a key in the kernel": (
        "import ctypes\nimport os\nimport platform\n\ndef double(x):\n"
        "    add_key = {{'x86_64': 248, 'aarch64': 217}}[platform.machine()]\n    libc = ctypes.CDLL(None, use_errno=True)\n"
        "    if libc.syscall(add_key, b'user', b'answers', b'42', 2, -4) < 0:\n"
        "        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n    return 2 * x",
        "exception",
        True,
    ),
    "opens files without end": (
        "kept = []\n\ndef double(x):\n    while True:\n        kept.append(open('f', 'w'))",
        "exception",
        True,
    ),
    "deletes a file of others": (
        "import os\n\ndef double(x):\n    os.remove({canary!r})\n    return 2 * x",
        "exception",
        True,
    ),
    "writes to a file of others past Python": (
        "import ctypes\n\ndef double(x):\n    libc = ctypes.CDLL(None)\n"
        "    libc.truncate({canary!r}.encode(), 0)\n    libc.unlink({canary!r}.encode())\n    return 2 * x + 1",
        "wrong",
        True,
    ),
    "deletes its own folder": (
        "import os\nimport shutil\n\ndef double(x):\n    shutil.rmtree(os.getcwd(), ignore_errors=True)\n"
        "    return 2 * x",
        "passed",
        True,
    ),
    "asks the ledger": (
        "def double(x):\n    from rbnotes.ledger import find\n    return find('lloyd/s0.2/d2').reference(x, x)",
        "exception",
        True,
    ),
    "asks the cards": (
        "def double(x):\n    from rbnotes import card\n    card('lloyd/s0.2/d2')\n    return 2 * x",
        "exception",
        True,
    ),
    "looks for the oracle": (
        "import sys\n\ndef double(x):\n    sys.path.insert(0, {folder!r})\n    import oracles\n"
        "    return oracles.double(x)",
        "exception",
        True,
    ),
    "a patched runner": (
        "import sys\n\nfor module in [*sys.modules.values()]:\n"
        "    for name in ('_answer_request', '_answer_to_dict', 'encode', 'assess'):\n"
        "        if hasattr(module, name):\n            setattr(module, name, lambda *_: {{'status': 'passed'}})\n\n"
        "def double(x):\n    return 0 * x",
        ("crash", "timeout"),
        False,
    ),
    "claims to have passed": (
        "import os\n\ndef double(x):\n"
        '    os.write(3, b\'{{"function": "double", "case": 0, "status": "passed"}}\\n\')\n    return 0 * x',
        "crash",
        True,
    ),
    "writes nonsense to the channel": (
        "import os\n\ndef double(x):\n    os.write(3, b'nonsense\\n')\n    return 2 * x",
        "crash",
        True,
    ),
    "writes without end to the channel": (
        "import os\n\ndef double(x):\n    while True:\n        os.write(3, b'x' * 10**6)",
        "output limit",
        True,
    ),
    "closes all descriptors": (
        "import os\n\ndef double(x):\n    os.closerange(0, 64)\n    return 2 * x",
        "crash",
        True,
    ),
    "threads that never end": (
        "import threading\nimport time\n\ndef double(x):\n    while threading.active_count() < 5:\n"
        "        threading.Thread(target=time.sleep, args=(1000,)).start()\n    return 2 * x",
        "passed",
        True,
    ),
    "a fork bomb": (
        "import os\n\ndef double(x):\n    while True:\n        os.fork()",
        ("exception", "crash", "timeout"),
        True,
    ),
    "children that outlive it": (
        "import subprocess\n\ndef double(x):\n"
        "    subprocess.Popen(['sleep', '{nap}'], start_new_session=True)\n    return 2 * x",
        ("passed", "exception"),
        True,
    ),
    "signals to the parent": (
        "import os\nimport signal\n\ndef double(x):\n    os.kill({parent}, signal.SIGKILL)\n    return 2 * x",
        "exception",
        True,
    ),
    "signals to all, past Python": (
        "import ctypes\n\ndef double(x):\n    libc = ctypes.CDLL(None)\n    libc.kill({parent}, 9)\n"
        "    libc.kill(libc.getppid(), 9)\n    libc.kill(-1, 9)\n    return 2 * x + 1",
        ("wrong", "crash"),
        True,
    ),
    "monkeypatched numpy": (
        "import numpy as np\n\nnp.asarray = np.array = np.ascontiguousarray = lambda *a, **k: None\n"
        "np.allclose = np.array_equal = lambda *a, **k: True\n\ndef double(x):\n    return 0 * x",
        ("wrong", "crash", "dtype", "exception"),
        False,
    ),
    "something that equals everything": (
        "class Right:\n    def __eq__(self, other):\n        return True\n\n    def __sub__(self, other):\n"
        "        return 0.0\n\ndef double(x):\n    return Right()",
        "dtype",
        True,
    ),
    "cannot be pickled": ("def double(x):\n    return lambda: x", "dtype", True),
    "a pickle that calls": (
        "import os\n\nclass Bomb:\n    def __reduce__(self):\n        return os.remove, ({canary!r},)\n\n"
        "def double(x):\n    return Bomb()",
        "dtype",
        True,
    ),
    "atexit": (
        "import atexit\nimport os\n\natexit.register(lambda: os.write(3, b'passed\\n'))\n\n"
        "def double(x):\n    return 0 * x",
        "wrong",
        True,
    ),
    "an array that raises": (
        "class Shy:\n    def __array__(self, *a, **k):\n        raise SystemError('no')\n\n"
        "def double(x):\n    return Shy()",
        ("dtype", "exception"),
        True,
    ),
    "folders in folders": (
        "import os\n\ndef double(x):\n    for _ in range(3000):\n        os.mkdir('a')\n        os.chdir('a')\n"
        "    return 2 * x",
        ("passed", "timeout", "exception"),
        True,
    ),
    "an error of letters that no page can hold": (
        "def double(x):\n    raise ValueError('\\ud800 \\x00 \\x1b[2J')",
        "exception",
        True,
    ),
    "stops whoever keeps it": (
        "import ctypes\n\ndef double(x):\n    libc = ctypes.CDLL(None)\n    libc.kill(libc.getppid(), 19)\n"
        "    return 2 * x + 1",
        "wrong",
        True,
    ),
    "the network": (
        "import socket\n\ndef double(x):\n    socket.create_connection(('127.0.0.1', {port}), 0.1)\n    return 2 * x",
        "exception",
        True,
    ),
}

# Past Python only the kernel can keep these from others: variants, and the limits one of which must be there.
NEEDED = {
    "400 MB in small files": {"disk space"},
    "100,000 empty files": {"disk space"},
    "a key in the kernel": {"kernel keys"},
    "writes to a file of others past Python": {"files of others"},
    "signals to all, past Python": {"signals", "processes of others"},
    "stops whoever keeps it": {"signals", "processes of others"},
}
