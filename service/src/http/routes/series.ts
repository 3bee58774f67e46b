import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getSeries, SERIES_STATIONS_MAXIMUM } from '@plumbline/contract'
import type { CatalogueStation } from '../../domain/site/catalogue.ts'
import type { PeriodSummary } from '../../domain/records/hour-summary.ts'
import { HOUR_MS, type Periods } from '../../domain/time/periods.ts'
import { formatMoment, formatOffsetTime, hasOffset } from '../../domain/time/offset-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { chooseBuckets, BucketBuilder, meanOf } from '../../domain/records/series.ts'
import type { FactorItem } from '../../domain/site/site-entry.ts'
import { summarizeInstants, summarizeWindow } from '../../domain/records/summarize-hours.ts'
import type { RecordStore, HourQuery, Storage } from '../../storage/storage.ts'
import { sendJson } from '../responses/send-json.ts'
import { readStationIds, splitList } from '../requests/list-texts.ts'
import { checkManageWindow, toManageInstants } from '../requests/manage-window.ts'
import type { WindowText } from '../requests/window.ts'

type SeriesRoutesOptions = { storage: Pick<Storage, 'records'> }

export const seriesRoutes: FastifyPluginAsyncTypebox<SeriesRoutesOptions> = async (
  app,
  { storage },
) => {
  app.route({
    ...getSeries,
    handler: async ({ caller, query }, reply) => {
      const { startTime, endTime, points } = query
      const ids = readStationIds(query.stations, SERIES_STATIONS_MAXIMUM)
      const keys = splitList(query.items ?? '')
      checkManageWindow({ startTime, endTime })
      const stations = ids.map((id) => caller.findStation(id))
      requireKnownKeys(keys, stations)
      for (const { entry } of stations) caller.permit(entry.structure, `station ${entry.id}`)
      const plans = stations.map((station) => plan(station, { startTime, endTime }, points, keys))
      return sendJson(reply, writeSeries(points, plans, storage.records))
    },
  })
}

/** Refuses an item key that none of the stations has. */
function requireKnownKeys(keys: readonly string[], stations: readonly CatalogueStation[]): void {
  if (stations.length === 0) return
  const unknown = keys.findIndex((key) => !stations.some(({ itemIndex }) => itemIndex.has(key)))
  if (unknown >= 0)
    throw new RefusedError('absent', `None of the stations has item ${unknown + 1} of "items".`)
}

/** What is read of one station, and its buckets. */
type SeriesPlan = {
  station: CatalogueStation
  items: readonly FactorItem[]
  buckets: Periods
  query: HourQuery
  /** Whether the times of the response have an offset, as that of the request has. */
  hasOffset: boolean
}

function plan(
  station: CatalogueStation,
  window: WindowText,
  points: number,
  keys: readonly string[],
): SeriesPlan {
  const { zone } = station.structure
  const { from, to } = toManageInstants(window, zone)
  const items = station.factor.items.filter(({ key }) => keys.length === 0 || keys.includes(key))
  const [only, ...others] = items
  return {
    station,
    items,
    hasOffset: hasOffset(window.startTime),
    buckets: chooseBuckets({ from, to }, points, zone),
    query: {
      kind: 'theme',
      source: station.entry.id,
      from,
      to,
      zone,
      ...(only !== undefined && others.length === 0 ? { item: only.key } : {}),
    },
  }
}

async function* writeSeries(
  points: number,
  plans: readonly SeriesPlan[],
  data: RecordStore,
): AsyncGenerator<string> {
  yield `{"points":${points},"stations":[`
  for (const [index, plan] of plans.entries())
    yield (index === 0 ? '' : ',') + stationText(plan, await readBuckets(plan, data))
  yield ']}'
}

/** The buckets in which one of the items has a value. */
async function readBuckets(
  { items, buckets, query }: SeriesPlan,
  data: RecordStore,
): Promise<PeriodSummary[]> {
  if (items.length === 0) return []
  const builder = new BucketBuilder(buckets)
  for await (const summary of summarize(query, buckets, data)) builder.add(summary)
  return builder.buckets.filter((bucket) => items.some(({ key }) => bucket.items.has(key)))
}

/** Reads no more than the width of the buckets needs: hours, texts, or texts with exact instants. */
function summarize(
  query: HourQuery,
  buckets: Periods,
  data: RecordStore,
): AsyncIterable<PeriodSummary> {
  if (buckets.width >= HOUR_MS) return data.readHours(query)
  if (buckets.width >= 1000) return summarizeWindow((records) => data.read(records), query, buckets)
  const { kind, source, from, to, item } = query
  return summarizeInstants(data.readLists({ kind, source, from, to }), buckets, item)
}

function stationText(
  { station, items, buckets, query, hasOffset }: SeriesPlan,
  summaries: PeriodSummary[],
): string {
  const { id, name } = station.entry
  const { from, zone } = query
  // The first bucket may begin before the window, by years where `points` is small.
  const times = summaries.map(({ start }) => {
    const instant = Math.max(start, from)
    return hasOffset
      ? formatOffsetTime(instant, zone.spanAt(instant).offset)
      : formatMoment(instant, zone)
  })
  const head = JSON.stringify({ id, name, width: buckets.width / 1000, times }).slice(0, -1)
  const texts = items.map((item) => `${JSON.stringify(item.key)}:${itemText(item, summaries)}`)
  return `${head},"items":{${texts.join(',')}}}`
}

function itemText({ key, name, unit }: FactorItem, summaries: PeriodSummary[]): string {
  const found = summaries.map(({ items }) => items.get(key))
  return JSON.stringify({
    name,
    unit,
    minimum: found.map((item) => item?.minimum ?? null),
    mean: found.map((item) => (item === undefined ? null : meanOf(item))),
    maximum: found.map((item) => item?.maximum ?? null),
    count: found.map((item) => item?.count ?? 0),
  })
}
