import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { markSensor, markStation } from '@plumbline/contract'
import { EXPECTED_QUALITY, parseQuality } from '../../domain/quality/quality-text.ts'
import type { Quality } from '../../domain/quality/quality.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { chooseTarget } from '../../deletion/deletion-target.ts'
import type { RecordIngest } from '../../ingest/record-ingest.ts'
import { chooseMarkingTarget, type MarkingChoice } from '../../marking/mark-target.ts'
import { countMarkable } from '../../marking/mark-values.ts'
import { endedOf, runMarking, type MarkingParts } from '../../marking/run-marking.ts'
import { checkManageWindow, toManageInstants } from '../requests/manage-window.ts'

type QualityRoutesOptions = MarkingParts & { ingest: Pick<RecordIngest, 'clock'> }

type MarkingBody = {
  quality: string
  items?: string[]
  startTime: string
  endTime: string
  dryRun?: boolean
}

export const qualityRoutes: FastifyPluginAsyncTypebox<QualityRoutesOptions> = async (
  app,
  { ingest: { clock }, ...parts },
) => {
  const mark = async (
    { caller, log }: Pick<FastifyRequest, 'caller' | 'log'>,
    source: Pick<MarkingChoice, 'station' | 'sensor'>,
    { quality, items, startTime, endTime, dryRun = false }: MarkingBody,
  ) => {
    checkManageWindow({ startTime, endTime })
    caller.permit(chooseTarget(caller.catalogue, source).structure)
    const choice = { ...source, items, quality: readQuality(quality) }
    const target = chooseMarkingTarget(caller.catalogue, choice)
    const { zone } = caller.findStructure(target.structure)
    const request = { target, span: toManageInstants({ startTime, endTime }, zone) }
    if (dryRun) {
      const { theme, raw, values } = await countMarkable(parts.marking, request)
      return { change: null, records: theme + raw, values, ended: [], restored: [] }
    }
    clock.arrive()
    const marked = await runMarking(parts, {
      ...request,
      description: `${target.description} from ${startTime} to ${endTime}, by user ${caller.sponsor}`,
      sponsor: caller.sponsor,
      now: () => clock.now(),
    })
    const { change, counts, restored } = marked
    const { theme, raw, values } = counts
    const records = theme + raw
    log.info({ user: caller.userId, change, records, values }, 'values were marked')
    return { change, records, values, ended: endedOf(marked), restored: [...restored] }
  }

  app.route({
    ...markStation,
    handler: ({ caller, params, body, log }) =>
      mark({ caller, log }, { station: params.stationId }, body),
  })

  app.route({
    ...markSensor,
    handler: ({ caller, params, body, log }) =>
      mark({ caller, log }, { sensor: params.sensorId }, body),
  })
}

function readQuality(text: string): Quality {
  const quality = parseQuality(text)
  if (quality !== undefined) return quality
  throw new RefusedError('invalid', `the parameter "quality" cannot be read: ${EXPECTED_QUALITY}`)
}
