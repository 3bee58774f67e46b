/** Whether `Accept-Encoding` allows gzip (RFC 9110, 12.5.3): by name or `*`, with a weight above 0. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  if (header === 'gzip') return true
  let weightOfAny = 0
  for (const part of String(header).toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = quality === undefined ? 1 : Number(quality.slice(2))
    if (coding === 'gzip' || coding === 'x-gzip') return weight > 0
    if (coding === '*') weightOfAny = weight
  }
  return weightOfAny > 0
}
