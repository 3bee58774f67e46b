/** An exact quotient of two whole numbers without a common factor. */
export type Ratio = Readonly<{ numerator: bigint; denominator: bigint }>

/** Reads a decimal text such as `0.0254` exactly. */
export function parseRatio(text: string): Ratio {
  const [whole = '', fraction = ''] = text.split('.')
  return reduce(BigInt(whole + fraction), 10n ** BigInt(fraction.length))
}

export function divide(one: Ratio, other: Ratio): Ratio {
  return reduce(one.numerator * other.denominator, one.denominator * other.numerator)
}

function reduce(numerator: bigint, denominator: bigint): Ratio {
  let [common, rest] = [numerator, denominator]
  while (rest !== 0n) [common, rest] = [rest, common % rest]
  return { numerator: numerator / common, denominator: denominator / common }
}
