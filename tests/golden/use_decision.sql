USE "it's ""odd"""
