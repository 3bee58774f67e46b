/** The maximum number of candidates: a header may have half a million columns. */
const COMPARED_MAXIMUM = 1000

/** Returns the most similar candidate, if at most a third of the letters differ. */
function nearMiss(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 64) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  let compared = 0
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    if (++compared > COMPARED_MAXIMUM) break
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Returns ` (did you mean name?)`, or an empty text. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const nearest = nearMiss(word, candidates)
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`
}

/** Returns ` (did you mean name?)`, or all names: `, expected one of id, name`. */
export function didYouMeanOr(word: string, known: readonly string[]): string {
  const hint = didYouMean(word, known)
  if (hint !== '' || known.length === 0) return hint
  return `, expected ${known.length === 1 ? '' : 'one of '}${known.join(', ')}`
}

/** The number of letters added, removed, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? Infinity) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(replaced, (last[j] ?? Infinity) + 1, (row[j - 1] ?? Infinity) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? Infinity) + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? Infinity
}
