// Package till is the till of the shop. Amounts are in cents.
package till

import "fmt"

// PaperWidth is that of a receipt, in characters.
const PaperWidth = 20

var coins = []int{200, 100, 50, 20, 10, 5, 2, 1}

// Change gives the coins to hand back, the largest first.
func Change(paid, price int) ([]int, error) {
	if paid < price {
		return nil, fmt.Errorf("%d cents are missing", price-paid)
	}
	given := []int{}
	left := paid - price
	for _, coin := range coins {
		for ; left >= coin; left -= coin {
			given = append(given, coin)
		}
	}
	return given, nil
}

// Line is a line of a receipt.
func Line(article string, price int) string {
	return fmt.Sprintf("%-12s%4d.%02d€", article, price/100, price%100)
}
