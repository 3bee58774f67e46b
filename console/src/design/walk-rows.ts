const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** What opens a row. */
const OPENERS = 'tr.opens :is(a[href], button.open)'
const TYPED_INTO = 'input:not([type="checkbox"]), select, textarea, [contenteditable]'

/**
 * Walks the rows of tables below an element: the arrows, J and K move the focus to what opens the next
 * row or the one before, Home and End to the first and the last, Space selects a row with a checkbox.
 */
export function walkRows(event: KeyboardEvent, root: Element | undefined): void {
  const { target, key } = event
  const hasOther = event.ctrlKey || event.metaKey || event.altKey
  if (!(target instanceof Element) || root === undefined || hasOther) return
  if (target.closest(TYPED_INTO) || target.closest('dialog')) return
  const row = target.closest('tr.opens')
  if (key === ' ' && row && target.matches(OPENERS)) {
    row.querySelector<HTMLElement>('input[type="checkbox"]')?.click()
    event.preventDefault()
    return
  }
  const rows = firstOfEachRow(root)
  const at = rows.findIndex((opener) => opener.closest('tr') === row)
  const step = STEPS[key.length === 1 ? key.toLowerCase() : key]
  const next = key === 'Home' ? 0 : key === 'End' ? rows.length - 1 : step && at + step
  const isWalk = next !== undefined && (row !== null || key.length === 1)
  if (!isWalk) return
  event.preventDefault()
  focusRow(rows[Math.min(Math.max(next, 0), rows.length - 1)])
}

/** Moves the focus to what opens the row of a key. */
export function focusRowOf(root: Element | undefined, key: string | number): void {
  focusRow(root?.querySelector<HTMLElement>(`tr[data-key="${key}"] :is(a[href], button.open)`))
}

function focusRow(opener: HTMLElement | null | undefined): void {
  opener?.focus({ preventScroll: true })
  opener?.closest('tr')?.scrollIntoView({ block: 'nearest' })
}

function firstOfEachRow(root: Element): HTMLElement[] {
  const seen = new Set<Element | null>()
  return [...root.querySelectorAll<HTMLElement>(OPENERS)].filter((opener) => {
    const row = opener.closest('tr')
    if (seen.has(row)) return false
    seen.add(row)
    return true
  })
}
