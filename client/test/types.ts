/** Compiles, or the client's types have drifted: `npm run types` is the test. */
import { clocks } from '../src/clocks.ts'
import type { EndpointsBelow } from '../src/endpoint.ts'
import type { Client, IngestClient, TokenClient } from '../src/index.ts'
import type * as contract from '../src/index.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_T extends true>(): void => {}

type ResponseOf<M extends keyof Client> = Awaited<ReturnType<Client[M]>>

holds<Equal<ResponseOf<'issueToken'>, contract.TokenResponse>>()
holds<Equal<ResponseOf<'invalidateToken'>, void>>()
holds<Equal<ResponseOf<'listStructures'>, contract.Structure[]>>()
holds<Equal<ResponseOf<'getThemeData'>, contract.ThemeData>>()
holds<Equal<ResponseOf<'getCameraInfo'>, contract.CameraInfo>>()
holds<Equal<ResponseOf<'listAlarms'>, contract.AlarmList>>()
holds<Equal<Awaited<ReturnType<IngestClient['ingestRaw']>>, contract.IngestReport>>()
holds<Equal<ResponseOf<'getSeries'>, contract.Series>>()

clocks satisfies EndpointsBelow<'/manage/v1'>
// @ts-expect-error these endpoints are below another base address
clocks satisfies EndpointsBelow<'/api/v1'>

export async function calls(client: Client, reader: TokenClient, ingest: IngestClient) {
  await client.issueToken()
  await client.refreshToken({ token: 't' })
  await client.listStructures({}, { signal: AbortSignal.timeout(1000) })
  await client.listFactors({ structureId: 1, display: true })
  await client.getThemeData({ stations: [1], limit: 1, endTime: undefined })
  await client.getThemeData({ stations: '1,2' })
  await client.listAlarms({ userId: 1 })
  await client.listAlarms({ userId: 1, orderBy: 'startTime', levels: [1], status: 'history' })
  await client.getCameraInfo({ serialNo: 'C1', protocol: 'hls' })
  await ingest.ingestTheme({ records: [{ station: 1, time: 0, values: { x: null } }] })
  await ingest.ingestPoints({ lines: 'a b=1', precision: 's' })

  const window = { startTime: '2026-03-01 00:00:00', endTime: '2026-03-02 00:00:00' }
  await reader.getSeries({ stations: [1], ...window })
  await reader.getSeries({ stations: '1,2', ...window, points: 500, items: 'strain' })

  // @ts-expect-error the grant type is the client's own business
  await client.issueToken({ grant_type: 'client_credentials' })
  // @ts-expect-error a structure is needed
  await client.listFactors({})
  // @ts-expect-error an input is needed
  await client.getThemeData()
  // @ts-expect-error the list is of ids
  await client.getThemeData({ stations: ['one'] })
  // @ts-expect-error no such status
  await client.countAlarms({ userId: 1, status: 'old' })
  // @ts-expect-error no such parameter
  await client.listStations({ structureId: 1, factor: 2 })
  // @ts-expect-error protocol has no default
  await client.getCameraInfo({ serialNo: 'C1' })
  // @ts-expect-error a token alone can issue nothing
  await reader.issueToken()
  // @ts-expect-error a chart has both ends
  await reader.getSeries({ stations: [1], startTime: '2026-03-01 00:00:00' })
  // @ts-expect-error no such precision
  await ingest.ingestPoints({ lines: 'a b=1', precision: 'h' })
  // @ts-expect-error values are numbers
  await ingest.ingestTheme({ records: [{ station: 1, time: 0, values: { x: '1' } }] })
}
