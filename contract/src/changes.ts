import { Type, type Static } from 'typebox'
import { Id, oneOf } from './common.ts'
import { administering, finding, operation } from './operation.ts'

const PAGE_MAXIMUM = 1000

const instant = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description: `Epoch milliseconds; ${description}.` })

export type Change = Static<typeof Change>
/** A change of many records at once. */
export const Change = Type.Object({
  id: Id,
  kind: oneOf(['import', 'recompute', 'deletion', 'rewrite', 'marking', 'reading']),
  description: Type.String(),
  startedAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  finishedAt: instant('null: it is under way, or was interrupted'),
  undoneAt: instant('null: it is not undone'),
  undoUntil: instant('null: without an end, or undone already'),
  records: Type.Integer({
    description: 'Records that it stored, replaced or deleted; vehicles included.',
  }),
  waveforms: Type.Integer(),
})

export const listChanges = operation({
  operationId: 'listChanges',
  summary: 'List the changes that can be undone, newest first',
  method: 'GET',
  url: '/changes',
  base: '/manage/v1',
  noun: 'changes',
  config: finding('Changes query failed'),
  schema: {
    querystring: Type.Object({
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The last id of the page before.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: PAGE_MAXIMUM, default: 100 }),
    }),
    response: { 200: Type.Object({ changes: Type.Array(Change) }) },
  },
})

const UndoCounts = Type.Object({
  removed: Type.Integer({ description: 'The change had added them.' }),
  restored: Type.Integer({ description: 'The change had replaced or deleted them.' }),
  left: Type.Integer({ description: 'They were written again since the change.' }),
})

export type Undone = Static<typeof Undone>
/** What an undo has done. */
export const Undone = Type.Object({
  change: Id,
  records: UndoCounts,
  waveforms: UndoCounts,
  alarms: Type.Array(
    Type.Object({
      id: Type.Union([Type.Integer(), Type.Null()], { description: 'null: a new alarm.' }),
      source: Type.Object({ id: Type.String(), name: Type.String() }),
      level: Type.Integer(),
      outcome: oneOf(['reopened', 'opened', 'ended', 'changed', 'withdrawn'], {
        description:
          '`opened`, `ended`, `changed`: by the newest record that is left; `withdrawn`: the values that raised it are gone.',
      }),
    }),
    { description: 'Alarms that changed with the records.' },
  ),
})

export const undoChange = operation({
  operationId: 'undoChange',
  summary: 'Undo a change: remove the records that it added, restore those that it replaced',
  method: 'POST',
  url: '/changes/:changeId/undo',
  base: '/manage/v1',
  noun: 'changes',
  config: administering('The change could not be undone'),
  schema: {
    params: Type.Object({ changeId: Id }),
    body: Type.Object({
      keep: Type.Optional(
        Type.Boolean({
          description:
            'Whether to undo it although later changes wrote some of the same records, which stay as they are. Default: false.',
        }),
      ),
    }),
    response: { 200: Undone },
  },
})
