/** `1 problem`, `2 problems`: a number with what it counts, whose plural ends in `s`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1 line is`, `2 lines are`: a number and the beginning of a sentence about it. */
export function countIs(count: number, one: string, many = one): string {
  return `${count} ${count === 1 ? `${one} is` : `${many} are`}`;
}
