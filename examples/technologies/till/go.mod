module shop/till

go 1.19
