import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  applySite as applyOperation,
  getSite,
  planSite as planOperation,
  type SiteChange,
} from '@plumbline/contract'
import { structureOf } from '../../site/check/site-context.ts'
import type { ApplyOptions, ApplyStorage } from '../../site/apply/apply.ts'
import { labelOf, type Change } from '../../site/apply/difference.ts'
import { requireAllStructures } from '../security/require-all-structures.ts'

type SiteRoutesOptions = {
  storage: ApplyStorage
  now(): number
}

/** In the site file of a request there is no name of a file. */
const FILE_NAME = 'site'

const REWRITING_PROBLEM =
  'Stored records get other keys or values, which is done while no service runs. Stop the service, and run "plumbline site apply" with --convert or --rename.'

type Flags = {
  remove?: boolean
  removeUsers?: boolean
  deleteRecords?: boolean
  units?: 'relabel' | 'convert'
  renames?: string[]
}

/** For users who may see every structure, since a site file changes any of them. */
export const siteRoutes: FastifyPluginAsyncTypebox<SiteRoutesOptions> = async (
  app,
  { storage, now },
) => {
  requireAllStructures(app, 'the site file')
  // The text may have passwords of cameras.
  app.addHook('preValidation', async (request) => {
    request.audit.after = null
  })

  app.route({
    ...getSite,
    handler: async () => {
      const { formatSiteFile, showSite } = await import('../../site/show/show-site.ts')
      const { entries, version } = await storage.site.load()
      return { text: formatSiteFile(showSite(entries)), version }
    },
  })

  app.route({
    ...planOperation,
    handler: async ({ body: { text, ...flags } }) => {
      const { planSite } = await import('../../site/apply/plan-site.ts')
      const { readInThread } = await import('../../site/apply/read-in-thread.ts')
      const options = { ...optionsOf(flags, now()), read: readInThread }
      const plan = await planSite(storage, { text, fileName: FILE_NAME }, options)
      return {
        ...plan,
        problems: [...plan.problems],
        changes: plan.changes.map(describeChange),
        refusal: plan.refusal ?? null,
      }
    },
  })

  app.route({
    ...applyOperation,
    handler: async ({ body: { text, version, ...flags }, audit }) => {
      const { applySite } = await import('../../site/apply/apply.ts')
      const { readInThread } = await import('../../site/apply/read-in-thread.ts')
      let isApplied = false
      const lines = await applySite(
        storage,
        { text, fileName: FILE_NAME },
        {
          ...optionsOf(flags, now()),
          read: readInThread,
          version,
          async onApplied() {
            isApplied = true
          },
        },
      )
      audit.before = { version }
      audit.after = { version: isApplied ? version + 1 : version, ...flags, lines }
      return { version: isApplied ? version + 1 : version, lines }
    },
  })
}

const optionsOf = (
  { remove = false, removeUsers = false, deleteRecords = false, units, renames }: Flags,
  now: number,
): ApplyOptions => ({
  remove,
  removeUsers,
  deleteRecords,
  meaning: { units, renames },
  rewritingProblem: REWRITING_PROBLEM,
  now,
})

const describeChange = ({ change, entry, fields }: Change): SiteChange => ({
  change,
  kind: entry.kind,
  id: String(entry.id),
  name: labelOf(entry),
  structure: structureOf(entry),
  fields: fields.map(({ path, from, to }) => ({ path, from: from ?? null, to: to ?? null })),
})
