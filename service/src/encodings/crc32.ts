/** The polynomial of gzip's CRC-32 (RFC 1952, 8) with reversed bits: the top bit is x^0. */
const POLYNOMIAL = 0xedb88320 | 0
const ONE = 1 << 31
const X = 1 << 30

/** x to the power of 2^k for k from 0 to 31: x has the order 2^32 - 1, so the powers repeat. */
const SQUARES = squaresOf(X)

/**
 * Returns the CRC-32 of two texts in sequence from the CRC-32 of each: the first is shifted by the bits
 * of the second, which is a multiplication modulo the polynomial (zlib, `crc32_combine`).
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  return (multiply(powerOfX8(secondLength), first) ^ second) >>> 0
}

/** Returns x^(8n); n may have more than 32 bits. */
function powerOfX8(n: number): number {
  let power = ONE
  // x^8 is the square of index 3.
  for (let index = 3, rest = n; rest > 0; index++, rest = Math.floor(rest / 2))
    if (rest % 2 === 1) power = multiply(SQUARES[index % 32]!, power)
  return power
}

/** Returns the product of two polynomials over GF(2), modulo that of the CRC. */
function multiply(left: number, right: number): number {
  let product = 0
  let shifted = right
  for (let rest = left; rest !== 0; rest <<= 1) {
    if (rest < 0) product ^= shifted
    shifted = (shifted >>> 1) ^ (-(shifted & 1) & POLYNOMIAL)
  }
  return product
}

function squaresOf(base: number): Int32Array {
  const squares = new Int32Array(32)
  for (let index = 0, square = base; index < 32; index++, square = multiply(square, square))
    squares[index] = square
  return squares
}
