# class: attributes
# layer: language
# must:  take no method out of a class for any self
import ast
import codecs


class K:
    def generic_visit(self, node):
        pass

    def visit_type(self):
        return self.__dict__

    def visit_function(self):
        return self.__defaults__


class Heir(K):
    pass


def look(value):
    return ast.NodeVisitor.visit(super(Heir, Heir), value)


real = look(look(codecs.StreamReader)["__getattr__"])[0]
print(WON, real(look, "__globals__"))
