// Which sort takes how many rows, as a table.
#pragma once

#include <string>

/// A row for each size of keys and items, from the rule that the device's sorts go by.
std::string sort_plan_table();
