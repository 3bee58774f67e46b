/** A header may have half a million columns. */
const MOST_COMPARED = 1000

/** The candidate that was probably meant, when one is a slip or two away. */
export function nearMiss(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 64) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  let compared = 0
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    if (++compared > MOST_COMPARED) break
    const distance = slips(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** ` (did you mean name?)`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearMiss(word, candidates)
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}

/** ` (did you mean name?)`, or all there is: `, expected one of id, name`. */
export function didYouMeanOr(word: string, known: readonly string[]): string {
  const hint = didYouMean(word, known)
  if (hint !== '' || known.length === 0) return hint
  return `, expected ${known.length === 1 ? '' : 'one of '}${known.join(', ')}`
}

/** Letters added, left out, replaced or swapped with their neighbour. */
function slips(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, beforeLast[j - 2]! + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
