from anonduck.rules.levels import one_level_coarser, one_level_finer


def test_neighbours_differ_in_one_level_of_one_attribute():
    assert list(one_level_finer((0, 2))) == [(0, 1)]
    assert list(one_level_coarser((0, 2), (1, 2))) == [(1, 2)]
