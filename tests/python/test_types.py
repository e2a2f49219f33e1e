"""The stub lists every name and argument of the module, and everything has a docstring."""
import ast
import inspect
import os
import unittest

import jounce
from jounce import _jounce
from support import main

STUB = os.path.join(os.path.dirname(jounce.__file__), "_jounce.pyi")


def names_of(function):
    a = function.args
    return [x.arg for x in a.posonlyargs + a.args + a.kwonlyargs] + ([a.kwarg.arg] if a.kwarg else [])


class Stub(unittest.TestCase):
    def setUp(self):
        with open(STUB) as file:
            self.tree = ast.parse(file.read())
        self.classes = {n.name: n for n in self.tree.body if isinstance(n, ast.ClassDef)}

    def test_everything_is_listed(self):
        listed = set(self.classes) | {n.name for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        listed |= {n.target.id for n in self.tree.body if isinstance(n, ast.AnnAssign)}
        self.assertEqual({n for n in jounce.__all__} - listed, set())
        self.assertEqual({n for n in listed if not hasattr(_jounce, n)}, set())
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(STUB), "py.typed")))

    def test_methods_and_their_arguments(self):
        count = 0
        for name, node in self.classes.items():
            real = getattr(_jounce, name)
            if issubclass(real, (BaseException, tuple)):
                continue
            stub = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
            stub.update({n.target.id: n for n in node.body if isinstance(n, ast.AnnAssign)})
            public = {n for n in vars(real) if not n.startswith("_")}
            self.assertEqual(public, {n for n in stub if not n.startswith("_")}, name)
            for n in public:
                member = getattr(real, n)
                self.assertTrue(member.__doc__, "%s.%s has no docstring" % (name, n))
                if callable(member):
                    signature = inspect.signature(member)
                    self.assertEqual(list(signature.parameters), names_of(stub[n]), "%s.%s" % (name, n))
                    count += 1
        print("%d methods" % count)
        self.assertGreater(count, 60)

    def test_named_tuples(self):
        for name, node in self.classes.items():
            real = getattr(_jounce, name)
            if issubclass(real, tuple):
                self.assertEqual(list(real.__match_args__), [n.target.id for n in node.body], name)


if __name__ == "__main__":
    main()
