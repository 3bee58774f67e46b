/** RFC 9110, 12.5.3: gzip by name or by `*`, unless its weight is zero. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  if (header === 'gzip') return true
  let weight: number | undefined
  for (const part of String(header).toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const value = given === undefined ? 1 : Number(given.slice(2))
    if (coding === 'gzip' || coding === 'x-gzip') return value > 0
    if (coding === '*') weight = value
  }
  return weight !== undefined && weight > 0
}
