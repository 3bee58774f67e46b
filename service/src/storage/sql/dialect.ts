import type { RecordKind } from '../stores/records.ts'
import type { SealedPart } from '../sealed-days/sealed-part.ts'
import type { Statement } from './statement.ts'

/** A condition of a query, and the values of its parameters. */
export type Condition = Readonly<{ sql: string; values: readonly unknown[] }>

/**
 * What the engines write differently. Every other statement runs on all of them: a parameter is `?`, a
 * truth value is 0 or 1.
 */
export interface Dialect {
  /** Whether each statement takes the way over a network: one that does more is faster than several. */
  isRemote: boolean

  /**
   * Whether a coordinator plans each statement and a worker plans it again: one over several tables
   * takes longer than a small one.
   */
  isSpread: boolean

  /** The texts of a column joined by commas in the order of the rows, as UTF-8; null without rows. */
  joined(column: string): string

  /**
   * Open records in the order of their time, from which texts are joined: the rows of a condition, with
   * one column.
   */
  recordsInOrder(kind: RecordKind, column: string, condition: string): string

  /** The numbers of a column joined by commas in the order of the rows, as a text. */
  joinedNumbers(column: string): string

  /** A member of a column of JSON, as text. */
  jsonText(column: string, member: string): string

  /** Whether a column contains a text, the parameter. */
  contains(column: string): string

  /** Whether a column is one of some numbers. */
  isOneOf(column: string, values: readonly number[]): Condition

  /** The same along an index of the column. */
  isAmong(column: string, values: readonly number[]): Condition

  /**
   * Numbers as a table `given` with the columns `source` and `at`, their place, so that one statement
   * finds something of each; undefined where it takes a statement for each.
   */
  givenSources: ((sources: readonly number[]) => Condition) | undefined

  /** Whether a column matches a pattern, the parameter, in which `*` stands for any digits. */
  matchesNumbers(column: string): string

  /** Whether the content of an alarm contains a text, the parameter. */
  contentContains(template: string, numbers: string): string

  /** A table that is read along an index, where the engine lets a statement say so. */
  along(table: string, index: string): string

  /** How a write names the alarms that it inserts. */
  newAlarms: {
    /** The id of one of them; the parameter is its number, counted back from the last one. */
    id: string
    /** A statement that gives them their ids before; undefined where the table does, in a row. */
    reserve: ((count: number) => Statement) | undefined
  }

  /** The id that a write has given to the row that it inserted last into a table. */
  lastId(table: 'pictures'): string

  /** The compressed records of a row of sealed parts; empty where they are lost. */
  sealedBytes(kind: RecordKind): string

  /**
   * A statement that stores the compressed records of new parts after their rows; undefined where they
   * are in the column `deflated` of these.
   */
  insertSealedBytes:
    | ((
        kind: RecordKind,
        source: number,
        parts: readonly Pick<SealedPart, 'start' | 'deflated'>[],
      ) => Statement)
    | undefined

  /** Whether a sealed part, a table or its alias, has corrections; the parameter is its source. */
  isCorrected(kind: RecordKind, part: string): string
}
