import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Fixture } from './_fixture.ts'
import { Program, type RunningService } from './_program.ts'
import { localTimes, readAll, themePath } from './_read-all.ts'
import {
  DAY,
  HOUR,
  MINUTE,
  pastRecords,
  rawRecords,
  SENSOR,
  vehicles,
  waveform,
} from './_sent-records.ts'

const SITE = fileURLToPath(new URL('./site.yaml', import.meta.url))
const DTU = '2d7e0c50-2f0e-4a3c-8f62-6a1e2f1f0001'

/** Fills a data folder by the program in a checkout, through its commands and its interface. */
export async function fillBy(checkout: string): Promise<{ fixture: Fixture; database: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-fixture-'))
  try {
    const data = join(folder, 'data')
    const program = new Program(join(checkout, 'service', 'bin', 'plumbline.js'), data)
    const fixture = await fill(program)
    return { fixture, database: await readFile(join(data, 'plumbline.db')) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(program: Program): Promise<Fixture> {
  const madeAt = Date.now()
  await program.run('site', 'apply', SITE)
  // Scopes came with version 19: before it every application may do everything.
  const application = await program
    .json('app', 'create', '--user', '1', '--name', 'fixture', '--scope', 'admin')
    .catch(() => program.json('app', 'create', '--user', '1', '--name', 'fixture'))
  const { key } = await program.json('key', 'create', '--name', 'fixture')
  const at = localTimes(madeAt)

  let fixture: Omit<Fixture, 'version'>
  {
    await using service = await program.serve(application, key)
    await service.store('theme', { records: pastRecords(madeAt) })
    await service.store('raw', { records: rawRecords(madeAt) })
    await service.store('traffic', { records: vehicles(madeAt) })
    for (const hoursAgo of [90, 2])
      await service.store('vibration', waveform(madeAt - hoursAgo * HOUR))
    await program.run('seal', '--after-days', '2')

    // They arrive for a sealed day: one corrects a record, one is new.
    await service.store('theme', {
      records: [
        { station: 1001, time: madeAt - 4 * DAY, values: { temperature: 77.7 } },
        { station: 1001, time: madeAt - 4 * DAY + 1, values: { strain: 0.1 } },
      ],
    })
    await raiseAlarms(service, madeAt)
    await service.store('heartbeats', {
      devices: [{ device: DTU, time: madeAt - MINUTE, error: 'battery low' }],
    })
    await service.influx(
      `wire,sensor=${SENSOR} frequency=1612.5,temperature=21.5 ${madeAt - 3 * MINUTE}
wire,sensor=${SENSOR} frequency=broken ${madeAt - 2 * MINUTE}
wire,sensor=ffffffff-0000-0000-0000-000000000000 frequency=1 ${madeAt - MINUTE}`,
    )
    await service.manage('/structures/1/factors/15/threshold/batches', {
      thresholds: {
        batchNo: '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b21',
        stations: [1006],
        items: [{ item: 'strain', config: [{ thresholds: [{ level: 2, value: '(9000,+)' }] }] }],
      },
    })
    await service.manage('/stations/2001/readings', {
      author: 'Li Wei',
      records: [{ time: at.river(3 * HOUR), values: { waterLevel: 3.25 }, note: 'by staff gauge' }],
    })
    // Marks came with version 20.
    await service.manage(
      '/stations/1001/quality',
      {
        quality: 'bad: cable cut',
        items: ['temperature'],
        startTime: at.bridge(4 * DAY + 4 * HOUR),
        endTime: at.bridge(4 * DAY + 2 * HOUR),
      },
      { mayBeUnknown: true },
    )
    await service.store(
      'theme',
      {
        records: [
          {
            station: 1002,
            time: madeAt - 20 * HOUR,
            values: { strain: 5.5, temperature: 20 },
            quality: { strain: 'uncertain: estimated' },
          },
        ],
      },
      { mayBeUnknown: true },
    )

    const deleted = themePath([1003], at.bridge(5 * DAY), at.bridge(0))
    const before = await service.answer({ method: 'GET', path: deleted })
    const { change } = await service.manage('/records/delete', {
      station: 1003,
      startTime: at.bridge(4 * DAY),
      endTime: at.bridge(3 * DAY),
    })

    fixture = {
      madeAt,
      application,
      token: service.token,
      key,
      answers: await readAll(service, at),
      deletion: { change, before },
    }
  }
  return { version: program.databaseVersion(), ...fixture }
}

/** One alarm in each state, and one of a slot of the day. */
async function raiseAlarms(service: RunningService, madeAt: number): Promise<void> {
  const send = (station: number, minutesAgo: number, strain: number) =>
    service.store('theme', {
      records: [{ station, time: madeAt - minutesAgo * MINUTE, values: { strain } }],
    })
  await send(1001, 9, 250)
  for (const minutesAgo of [9, 8]) await send(1002, minutesAgo, 250 + minutesAgo)
  await send(1003, 9, 250)
  await send(1003, 8, 350.5)
  await send(1004, 9, 250)
  await send(1004, 8, 1.5)
  await send(1005, 9, -1234.5)
  await service.store('theme', {
    records: [{ station: 2001, time: madeAt - 9 * MINUTE, values: { waterLevel: 6.5 } }],
  })
  const { alarms } = await service
    .call('POST', '/api/v1/users/1/alarms', { status: 'new' })
    .then(({ json }) => json)
  const confirmed = alarms
    .flatMap((structure: any) => structure.alarms)
    .find(({ source }: any) => source.id === '1005')
  await service.manage(`/alarms/${confirmed.id}/confirm`, { comment: 'Crane at work.' })
}
