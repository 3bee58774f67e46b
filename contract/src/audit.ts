import { Type, type Static } from 'typebox'
import { oneOf } from './common.ts'
import { administering, operation } from './operation.ts'

const PAGE_MAXIMUM = 1000

/** JSON without secrets, or null where there is nothing to show. */
const Shown = (description: string) => Type.Unsafe<unknown>({ description })

export type AuditLine = Static<typeof AuditLine>
/** One change: who made it, from where, and what was there before and after. */
export const AuditLine = Type.Object({
  seq: Type.Integer({ description: 'Counts from 1 without a gap.' }),
  at: Type.Integer({ description: 'Epoch milliseconds.' }),
  who: Type.Object({
    kind: oneOf(['account', 'application', 'command']),
    name: Type.String({
      description: 'Sign-in name, id of the application, or user of the system.',
    }),
  }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'The address of the client; null for a command.',
  }),
  operation: Type.String({ description: '`operationId`, or the command.' }),
  target: Type.Union([Type.String(), Type.Null()], {
    description: 'What was changed, such as `stationId=1001`.',
  }),
  before: Shown('What was there before; null where it is not known.'),
  after: Shown('What was asked for, or is there now; without secrets.'),
  outcome: Type.String({
    description: '`done`, or the status and name of the error response, such as `403 Forbidden`.',
  }),
  hash: Type.String({ description: 'SHA-256 of the hash before and this line; hexadecimal.' }),
})

const filters = {
  startTime: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Epoch milliseconds, inclusive.' }),
  ),
  endTime: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Epoch milliseconds, inclusive.' }),
  ),
  who: Type.Optional(Type.String({ description: 'The `name` in `who`.' })),
  operation: Type.Optional(Type.String()),
  target: Type.Optional(Type.String({ description: 'A part of `target`.' })),
}

export const listAudit = operation({
  operationId: 'listAudit',
  summary: 'List lines of the audit log, newest first',
  method: 'GET',
  url: '/audit',
  base: '/manage/v1',
  noun: 'audit',
  config: administering('Audit query failed'),
  schema: {
    querystring: Type.Object({
      ...filters,
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The `seq` of the last line of the page before.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: PAGE_MAXIMUM, default: 100 }),
    }),
    response: { 200: Type.Object({ lines: Type.Array(AuditLine) }) },
  },
})

export type Csv = Static<typeof Csv>
/** A table as comma-separated values. */
export const Csv = Type.String()

export const exportAudit = operation({
  operationId: 'exportAudit',
  summary: 'Export lines of the audit log as CSV, newest first',
  method: 'GET',
  url: '/audit/csv',
  base: '/manage/v1',
  noun: 'audit',
  produces: 'text/csv',
  config: administering('Audit export failed'),
  schema: {
    querystring: Type.Object(filters),
    response: { 200: Csv },
  },
})
