/** One way to log in that a server offers: its scheme in lower case, and its parameters. */
export type Challenge = { scheme: string; parameters: Map<string, string> }

const PART = /[\s,]*([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/gy

/**
 * Parses the values of `WWW-Authenticate`; several challenges may be in one value.
 *
 * What comes after a part that cannot be read is left out.
 */
export function parseChallenges(values: readonly string[]): Challenge[] {
  return values.flatMap((value) => {
    const challenges: Challenge[] = []
    for (const [, name = '', quoted, bare] of value.matchAll(PART)) {
      if (quoted === undefined && bare === undefined)
        challenges.push({ scheme: name.toLowerCase(), parameters: new Map() })
      else challenges.at(-1)?.parameters.set(name.toLowerCase(), unescape(quoted) ?? bare ?? '')
    }
    return challenges
  })
}

const unescape = (quoted: string | undefined): string | undefined =>
  quoted?.replaceAll(/\\(.)/g, '$1')
