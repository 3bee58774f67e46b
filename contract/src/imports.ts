import { Type, type Static } from 'typebox'
import { Id, oneOf } from './common.ts'
import { REPLACEMENTS } from './ingest.ts'
import { finding, operating, operation } from './operation.ts'

/** The most bytes of a part of a file. A client that sends little in a second takes smaller parts. */
export const FILE_PART_MAXIMUM = 8 * 2 ** 20

/** What is sent; the service receives bytes. */
type FilePart = Uint8Array | Blob

const PAGE_MAXIMUM = 1000

const params = Type.Object({ importId: Id })

const STATES = [
  'waiting',
  'queued',
  'running',
  'done',
  'failed',
  'cancelled',
  'interrupted',
] as const

const integerOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], { description })

export type Import = Static<typeof Import>
/** The import of a file. */
export const Import = Type.Object({
  id: Id,
  name: Type.String({ description: 'The name of the file.' }),
  state: oneOf(STATES, {
    description:
      '`waiting` for its file, `queued` behind other imports, `running`; or how it ended. `interrupted`: its service stopped.',
  }),
  isDryRun: Type.Boolean({ description: 'Whether nothing is stored.' }),
  createdAt: Type.Integer({ description: 'Epoch milliseconds.' }),
  endedAt: integerOrNull('Epoch milliseconds; null: it has not ended.'),
  bytes: Type.Integer({ description: 'Bytes of the file that were received.' }),
  member: Type.Union([Type.String(), Type.Null()], {
    description: 'The file, sheet or member of an archive that is read.',
  }),
  memberBytes: integerOrNull('The size of the member; null: it is not known.'),
  readBytes: Type.Integer({ description: 'Bytes of the member that are read.' }),
  change: integerOrNull('The change that `undoChange` undoes; null: without one.'),
  isWhole: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether everything was stored; null: it has not ended.',
  }),
  isAmbiguous: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'Whether rows lie in an hour that occurs twice and do not show which pass they mean.',
  }),
  lines: Type.Array(Type.String(), {
    description: 'What "plumbline import" prints: counts, and rejected rows by reason.',
  }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Why it failed or was interrupted.',
  }),
})

export const startImport = operation({
  operationId: 'startImport',
  summary: 'Begin an import with its mapping; its file is sent next, in parts',
  method: 'POST',
  url: '/imports',
  base: '/manage/v1',
  noun: 'imports',
  config: operating('The import could not be started'),
  schema: {
    body: Type.Object({
      name: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The name of the file, for people and for rejects.',
      }),
      mapping: Type.String({ description: 'A mapping file, in YAML or JSON.' }),
      members: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Only members of an archive with such a name are read, such as `*.csv`.',
        }),
      ),
      replace: Type.Optional(
        oneOf(REPLACEMENTS, {
          description:
            'What a row does to a stored record of its time. Default: what the mapping says.',
        }),
      ),
      dryRun: Type.Optional(
        Type.Boolean({
          description: 'Whether to read the file and store nothing. Default: false.',
        }),
      ),
    }),
    response: { 200: Import },
  },
})

export const sendImportFile = operation({
  operationId: 'sendImportFile',
  summary: 'Send the next part of the file of an import, which runs after the last part',
  method: 'PUT',
  url: '/imports/:importId/file',
  base: '/manage/v1',
  noun: 'imports',
  consumes: ['application/octet-stream'],
  bodyLimit: FILE_PART_MAXIMUM,
  // Only the last part leaves a line in the audit log.
  config: { ...operating('The file could not be received'), isChange: false },
  schema: {
    params,
    querystring: Type.Object({
      offset: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'Where in the file the part begins; what was sent already may be sent again.',
      }),
      isLast: Type.Optional(
        Type.Boolean({ flag: true, description: 'Whether the file ends with it: then it runs.' }),
      ),
    }),
    body: Type.Object(
      { part: Type.Unsafe<FilePart>({ format: 'bytes', description: 'The bytes; at most 8 MB.' }) },
      // The body is the bytes of this member, not JSON.
      { plain: 'part' },
    ),
    response: { 200: Import },
  },
})

export const listImports = operation({
  operationId: 'listImports',
  summary: 'List imports, newest first',
  method: 'GET',
  url: '/imports',
  base: '/manage/v1',
  noun: 'imports',
  config: finding('Imports query failed'),
  schema: {
    querystring: Type.Object({
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The last id of the page before.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: PAGE_MAXIMUM, default: 100 }),
    }),
    response: { 200: Type.Object({ imports: Type.Array(Import) }) },
  },
})

export const getImport = operation({
  operationId: 'getImport',
  summary: 'Get the progress and the report of an import',
  method: 'GET',
  url: '/imports/:importId',
  base: '/manage/v1',
  noun: 'imports',
  config: finding('Import query failed'),
  schema: { params, response: { 200: Import } },
})

export const cancelImport = operation({
  operationId: 'cancelImport',
  summary: 'Stop an import; records stored so far are kept',
  method: 'POST',
  url: '/imports/:importId/cancel',
  base: '/manage/v1',
  noun: 'imports',
  config: operating('The import could not be stopped'),
  schema: { params, response: { 204: Type.Void() } },
})
