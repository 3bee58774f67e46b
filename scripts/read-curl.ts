/** The request that a `curl` line sends. */
export type CurlRequest = {
  method: string
  /** Without its query. */
  url: string
  /** The parameters, decoded; a repeated one as its last value. */
  query: Record<string, string>
  /** Undefined also where the body is a file or standard input. */
  body: string | undefined
  contentType: string
}

/** Flags of `curl` that take a value and do not change the request. */
const OTHER_FLAGS = new Set(['-u', '-o', '-w', '-b', '-c', '--cacert'])
const FORM = 'application/x-www-form-urlencoded'

/** Reads the first `curl` line of a shell fence; throws for a flag that it does not know. */
export function readCurl(text: string): CurlRequest {
  const words = splitWords(withoutDocuments(text))
  const start = words.indexOf('curl')
  if (start === -1) throw new Error(`the fence has no curl line: ${text}`)
  let method = ''
  let url = ''
  let contentType = FORM
  let isGet = false
  const data: string[] = []
  for (let at = start + 1; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '|') break
    if (word === '-X') method = words[++at] ?? ''
    else if (word === '-H') contentType = readType(words[++at] ?? '') ?? contentType
    else if (['-d', '--data-binary'].includes(word)) data.push(words[++at] ?? '')
    else if (word === '--data-urlencode') data.push(encode(words[++at] ?? ''))
    else if (word === '-G') isGet = true
    else if (OTHER_FLAGS.has(word)) at++
    else if (['-s', '-i', '-k', '--compressed'].includes(word)) continue
    else if (word.startsWith('-')) throw new Error(`unknown flag ${word} of curl: ${text}`)
    else url = word
  }
  const [path = '', inUrl = ''] = url.split('?')
  const sent = data.join('&')
  const query = Object.fromEntries(new URLSearchParams(isGet ? sent : inUrl))
  const hasBody = data.length > 0 && !isGet
  return {
    method: method || (hasBody ? 'POST' : 'GET'),
    url: path,
    query,
    body: hasBody && !sent.startsWith('@') ? sent : undefined,
    contentType,
  }
}

/** Without the lines of here documents, which are standard input. */
const withoutDocuments = (text: string): string =>
  text.replaceAll(/<<'(\w+)'((?:\\\n|[^\n])*)\n[^]*?^\1$/gm, '$2')

const readType = (header: string): string | undefined => /^content-type: (.+)$/i.exec(header)?.[1]

/** `name=value` as curl encodes it: the value only. */
function encode(pair: string): string {
  const at = pair.indexOf('=')
  return `${pair.slice(0, at)}=${encodeURIComponent(pair.slice(at + 1))}`
}

/** Splits a shell line into words: quotes, and line ends after a backslash. Nothing is expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [part] of text.matchAll(/\\\n|\\[^]|'[^']*'|"[^"]*"|\s+|[^\s'"\\]+/g)) {
    if (part === '\\\n' || /^\s/.test(part)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + unquote(part)
  }
  return word === undefined ? words : [...words, word]
}

const unquote = (part: string): string =>
  /^['"]/.test(part) ? part.slice(1, -1) : part.startsWith('\\') ? part.slice(1) : part
