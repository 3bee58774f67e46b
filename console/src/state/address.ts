export type Address = { path: string; query: Readonly<Record<string, string>> }

/** Reads what is behind `#`. */
export function parseAddress(hash: string): Address {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s)
  return {
    path: `/${path.replace(/^\/+|\/+$/g, '')}`,
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** The reverse of `parseAddress`; empty and undefined members are left out. */
export function writeAddress(path: string, query: Record<string, string | undefined> = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries as [string, string][])
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
  return `#${path}${search === '' ? '' : `?${search}`}`
}

/** The parameters of a path such as `/stations/1001` for the pattern `/stations/:stationIds`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const parts = path.split('/')
  if (wanted.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of wanted.entries()) {
    const part = parts[index] ?? ''
    if (name.startsWith(':')) params[name.slice(1)] = decode(part)
    else if (name !== part) return undefined
  }
  return params
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
