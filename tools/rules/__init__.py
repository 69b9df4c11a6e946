"""The rules of tools/check: each module has check(tree), which returns one line of text per problem."""
