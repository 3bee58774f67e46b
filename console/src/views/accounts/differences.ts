export type Difference = { path: string; before: unknown; after: unknown; isChanged: boolean }

/** The members of two JSON values side by side; only where both are known does a member count as changed. */
export function compareMembers(before: unknown, after: unknown): Difference[] {
  const old = membersOf(before)
  const next = membersOf(after)
  const isComparable = old.size > 0 && next.size > 0
  return [...new Set([...old.keys(), ...next.keys()])].map((path) => {
    const [was, is] = [old.get(path), next.get(path)]
    return {
      path,
      before: was,
      after: is,
      isChanged: isComparable && JSON.stringify(was) !== JSON.stringify(is),
    }
  })
}

function membersOf(value: unknown, path = ''): Map<string, unknown> {
  if (value === null || value === undefined) return new Map()
  if (typeof value !== 'object' || Array.isArray(value)) return new Map([[path || '·', value]])
  return new Map(
    Object.entries(value).flatMap(([name, member]) => {
      const at = path === '' ? name : `${path}.${name}`
      const inner = membersOf(member, at)
      return inner.size > 0 ? [...inner] : [[at, member] as const]
    }),
  )
}
