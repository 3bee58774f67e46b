import type { Snippet } from 'svelte'

export type Column<Row> = {
  id: string
  label: string
  /** Behind the label of numbers. */
  unit?: string
  /** Numbers are aligned at their end. */
  isNumber?: boolean
  isSortable?: boolean
  /** Left out where there is little room. */
  isMinor?: boolean
  width?: string
  text?: (row: Row) => string
  cell?: Snippet<[Row]>
}

export type Sorting = { by: string; direction: 'asc' | 'desc' }
