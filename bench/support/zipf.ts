/** Members by Zipf's law: the k-th of `members` is drawn in proportion to 1/k. The same `n` gives the same member. */
export function zipfMembers(members: number): (n: number) => number {
  const sums = new Float64Array(members);
  let sum = 0;
  for (let k = 0; k < members; k++) {
    sum += 1 / (k + 1);
    sums[k] = sum;
  }
  return (n) => {
    // A fixed sequence that fills the interval evenly.
    const drawn = ((n * 0.618_033_988_749_894_9) % 1) * sum;
    let [low, high] = [0, members - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
