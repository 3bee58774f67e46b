/** Where in a YAML file something is typed. */
export type YamlPlace = {
  /** Names of members and, for entries of lists, null: from the root to what the cursor is in. */
  path: (string | null)[]
  /** Whether the name of a member is typed, otherwise a value. */
  isKey: boolean
  /** What is typed already, left of the cursor. */
  typed: string
  /** Names of the members that are there already. */
  siblings: Set<string>
  /** The column where the member begins. */
  column: number
}

type Entry = { column: number; name: string | null }

const KEY = /^(?:"([^"]*)"|'([^']*)'|([^\s"'#&*!|>%@[\]{},-][^:#]*?|-[^\s:][^:#]*?))\s*:(?=\s|$)/

/** Finds out by indentation what the cursor is in; the file need not be whole. */
export function findPlace(text: string, offset: number): YamlPlace | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const line = text.slice(lineStart, offset)
  if (/^\s*#|\s#/.test(line)) return undefined
  const before = text.slice(0, lineStart).split('\n').slice(0, -1)
  const after = text.slice(offset).split('\n').slice(1)

  const flow = placeInFlow(line, before)
  if (flow !== undefined) return flow
  const { entries, rest, column } = entriesOf(line)
  const last = entries.at(-1)
  const isValue = last !== undefined && last.name !== null && last.column < column
  const above = [...before.flatMap((one) => entriesOf(one).entries), ...entries]
  const path = pathTo(above, isValue ? last.column + 1 : column)
  return {
    path,
    isKey: !isValue,
    typed: rest,
    siblings: isValue ? new Set() : siblingsOf(before, entries, after, column),
    column,
  }
}

/** In `{ id: 1, na|` on one line. */
function placeInFlow(line: string, before: readonly string[]): YamlPlace | undefined {
  const open = line.lastIndexOf('{')
  if (open < 0 || line.indexOf('}', open) >= 0) return undefined
  const { entries, column } = entriesOf(line.slice(0, open))
  const last = entries.at(-1)
  const isMember = last !== undefined && last.name !== null
  const above = [...before.flatMap((one) => entriesOf(one).entries), ...entries]
  const path = pathTo(above, isMember ? last.column + 1 : column)
  const members = line.slice(open + 1).split(',')
  const typed = (members.pop() ?? '').trimStart()
  const names = members
    .map((member) => KEY.exec(member.trim()))
    .map((match) => match && nameOf(match))
  const key = KEY.exec(typed)
  const place = { siblings: new Set(names.filter((name) => name !== null)), column }
  return key === null
    ? { ...place, path, isKey: true, typed }
    : {
        ...place,
        path: [...path, nameOf(key)],
        isKey: false,
        typed: typed.slice(key[0].length).trimStart(),
      }
}

function entriesOf(line: string): { entries: Entry[]; rest: string; column: number } {
  const entries: Entry[] = []
  let column = /^\s*/.exec(line)![0].length
  let rest = line.slice(column)
  if (rest.startsWith('#')) return { entries, rest: '', column }
  for (let dash = /^-(\s+|$)/.exec(rest); dash !== null; dash = /^-(\s+|$)/.exec(rest)) {
    entries.push({ column, name: null })
    column += dash[0].length
    rest = rest.slice(dash[0].length)
  }
  const key = KEY.exec(rest)
  if (key !== null) {
    entries.push({ column, name: nameOf(key) })
    const value = rest.slice(key[0].length)
    const blank = /^\s*/.exec(value)![0].length
    column += key[0].length + blank
    rest = value.slice(blank)
  }
  return { entries, rest, column }
}

const nameOf = (match: RegExpExecArray): string => match[1] ?? match[2] ?? match[3] ?? ''

/** The members and lists that what begins in a column lies in. */
function pathTo(entries: readonly Entry[], column: number): (string | null)[] {
  const path: (string | null)[] = []
  let limit = column
  let isItem = false
  for (const entry of entries.toReversed()) {
    // The entries of a list may begin in the column of its name.
    const isParent =
      entry.column < limit || (isItem && entry.name !== null && entry.column === limit)
    if (!isParent) continue
    path.unshift(entry.name)
    limit = entry.column
    isItem = entry.name === null
    if (limit === 0 && !isItem) break
  }
  return path
}

function siblingsOf(
  before: readonly string[],
  own: readonly Entry[],
  after: readonly string[],
  column: number,
): Set<string> {
  const siblings = new Set<string>()
  const collect = (entries: Iterable<Entry>): void => {
    for (const entry of entries) {
      if (entry.column < column) return
      if (entry.column === column && entry.name !== null) siblings.add(entry.name)
    }
  }
  collect([...before.flatMap((line) => entriesOf(line).entries), ...own].toReversed())
  collect(after.flatMap((line) => entriesOf(line).entries))
  return siblings
}
