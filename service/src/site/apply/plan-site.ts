import { RefusedError } from '../../errors/refused-error.ts'
import { YamlFileError, type FileProblem } from '../../yaml/yaml-file-error.ts'
import { applySite, type ApplyOptions, type ApplyStorage, type SitePlan } from './apply.ts'
import type { SiteText } from './read-wanted-entries.ts'

type PlannedSite = SitePlan & {
  /** Errors of the file. */
  problems: readonly FileProblem[]
  /** The difference as lines; none where the file is refused. */
  lines: string[]
  /** Why a file without errors is not applied with these options. */
  refusal: string | undefined
}

/** Compares a site file with the stored site and changes nothing; what is wrong is part of the result. */
export async function planSite(
  storage: ApplyStorage,
  file: SiteText,
  options: Omit<ApplyOptions, 'dryRun' | 'onPlanned'>,
): Promise<PlannedSite> {
  let plan: SitePlan = { version: await storage.site.version(), changes: [], losses: [] }
  const onPlanned = (planned: SitePlan): void => void (plan = planned)
  try {
    const lines = await applySite(storage, file, { ...options, dryRun: true, onPlanned })
    return { ...plan, problems: [], lines, refusal: undefined }
  } catch (error) {
    if (error instanceof YamlFileError)
      return { ...plan, problems: error.problems, lines: [], refusal: undefined }
    if (!(error instanceof RefusedError) || error.reason !== 'invalid') throw error
    return { ...plan, problems: [], lines: [], refusal: error.message }
  }
}
