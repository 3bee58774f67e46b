import { Type, type Static } from 'typebox'
import { oneOf } from './common.ts'
import { administering, operation } from './operation.ts'

/** The most bytes of a request with a site file. */
const SITE_BYTES = 4 * 2 ** 20

const Text = Type.String({ description: 'A site file, in YAML.' })

export type SiteText = Static<typeof SiteText>
/** The site as a site file that applies unchanged. */
export const SiteText = Type.Object({
  text: Type.String({
    description: 'In YAML. Passwords in addresses of cameras are masked; a masked one is kept.',
  }),
  version: Type.Integer({ description: 'Grows with every change of the site.' }),
})

export const getSite = operation({
  operationId: 'getSite',
  summary: 'Get the site as a site file',
  method: 'GET',
  url: '/site',
  base: '/manage/v1',
  noun: 'site',
  config: administering('Site query failed'),
  schema: { response: { 200: SiteText } },
})

/** What the flags of `plumbline site apply` say. */
const flags = {
  remove: Type.Optional(
    Type.Boolean({
      description: 'Whether to remove structures and users that are not in the lists of the file.',
    }),
  ),
  removeUsers: Type.Optional(
    Type.Boolean({
      description:
        'Whether to remove users that are not in the file and see structures of other files.',
    }),
  ),
  deleteRecords: Type.Optional(
    Type.Boolean({
      description:
        'Whether to remove stations, devices and structures that have records, with these records.',
    }),
  ),
  units: Type.Optional(
    oneOf(['relabel', 'convert'], {
      description:
        'What a changed unit of stored records means: only its name was wrong, or values are converted.',
    }),
  ),
  renames: Type.Optional(
    Type.Array(Type.String({ minLength: 3, maxLength: 200 }), {
      maxItems: 1000,
      description: 'New keys of items, `OLD=NEW`, `15.OLD=NEW` or `UUID.OLD=NEW`.',
    }),
  ),
}

export type SiteProblem = Static<typeof SiteProblem>
/** Why a site file is not applied. */
export const SiteProblem = Type.Object({
  line: Type.Union([Type.Integer(), Type.Null()], { description: 'From 1; null: of no line.' }),
  path: Type.String({ description: 'Such as `structures[0].factors[1].factor`; may be empty.' }),
  message: Type.String(),
})

export type SiteChange = Static<typeof SiteChange>
/** An entry of the site that a file adds, alters or removes. */
export const SiteChange = Type.Object({
  change: oneOf(['add', 'alter', 'remove']),
  kind: Type.String({
    description:
      '`project`, `structureType`, `factor`, `structure`, `group`, `station`, `device`, `thresholdBatch`, `camera` or `user`.',
  }),
  id: Type.String(),
  name: Type.String({ description: 'Its name; empty where it has none.' }),
  structure: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The structure that it belongs to.',
  }),
  fields: Type.Array(
    Type.Object({
      path: Type.String(),
      from: Type.Unsafe<unknown>({ description: 'null: none.' }),
      to: Type.Unsafe<unknown>({ description: 'null: none.' }),
    }),
    { description: 'What an altered entry has instead; addresses of cameras are masked.' },
  ),
})

export type SitePlan = Static<typeof SitePlan>
/** What applying a site file would do. */
export const SitePlan = Type.Object({
  version: Type.Integer({ description: 'The version of the site that was compared.' }),
  problems: Type.Array(SiteProblem, {
    description: 'Errors of the file, in its order; with any, it is not applied.',
  }),
  changes: Type.Array(SiteChange),
  lines: Type.Array(Type.String(), {
    description:
      'What "plumbline site apply --dry-run" prints: notes, revoked applications, deleted records, changes.',
  }),
  refusal: Type.Union([Type.String(), Type.Null()], {
    description:
      'Why a file without errors is not applied with these flags, such as records of a station that it leaves out, or records that only "plumbline site apply" rewrites while no service runs; null: it is applied.',
  }),
  losses: Type.Array(Type.String(), {
    description: 'Structures and records that would be deleted: ask before.',
  }),
})

export const planSite = operation({
  operationId: 'planSite',
  summary: 'Compare a site file with the site, and change nothing',
  method: 'POST',
  url: '/site/plan',
  base: '/manage/v1',
  noun: 'site',
  bodyLimit: SITE_BYTES,
  config: { ...administering('The site file could not be compared'), isChange: false },
  schema: {
    body: Type.Object({ text: Text, ...flags }),
    response: { 200: SitePlan },
  },
})

export type AppliedSite = Static<typeof AppliedSite>
/** What applying a site file has done. */
export const AppliedSite = Type.Object({
  version: Type.Integer({ description: 'The version of the site now.' }),
  lines: Type.Array(Type.String(), {
    description: 'What "plumbline site apply" prints.',
  }),
})

export const applySite = operation({
  operationId: 'applySite',
  summary: 'Change the site to what a site file declares',
  method: 'POST',
  url: '/site/apply',
  base: '/manage/v1',
  noun: 'site',
  bodyLimit: SITE_BYTES,
  config: administering('The site file could not be applied'),
  schema: {
    body: Type.Object({
      text: Text,
      version: Type.Integer({
        minimum: 0,
        description: 'The version that the file was compared with; another one is refused.',
      }),
      ...flags,
    }),
    response: { 200: AppliedSite },
  },
})
