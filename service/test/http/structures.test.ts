import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { IDS, SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const groupIds = async (running: TestService) => {
  const own = await running.issueToken()
  const responses = [
    await running.get('/structures/1/stations', own),
    await running.get('/structures/2/stations', own),
  ]
  const factors = responses.flatMap((response) => response.json())
  return factors.flatMap(({ factorId, groups }: any) => groups.map(({ id }: any) => [factorId, id]))
}

const FIRST_DEFAULT_GROUP_ID = 2_000_000_000

let service: TestService
let token: string
let riverToken: string
let nobodyToken: string

before(async () => {
  service = await withService({ site: SITE })
  token = await service.issueToken(1)
  riverToken = await service.issueToken(2)
  nobodyToken = await service.issueToken(3)
})

after(() => service[Symbol.asyncDispose]())

describe('listStructures', () => {
  const river = {
    id: 2,
    name: 'River',
    type: { id: 3, name: 'River' },
    latitude: 48.1,
    longitude: -11.5,
    portrait: '',
    projects: [],
  }

  test('a structure comes with its type, place, picture and projects, in the file’s order', async () => {
    const response = await service.get('/structures', token)

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), [
      {
        id: 1,
        name: '长江大桥',
        type: { id: 2, name: '桥梁' },
        latitude: 30.5928,
        longitude: 114.3055,
        portrait: 'bridge.jpg',
        projects: [{ id: 7, name: '过江通道' }],
      },
      river,
      {
        id: 3,
        name: 'Bare ground',
        type: { id: 3, name: 'River' },
        latitude: 0,
        longitude: 0,
        portrait: '',
        projects: [],
      },
    ])
  })

  test('an application sees what its user was granted: all, a list, nothing', async () => {
    assert.equal((await service.get('/structures', token)).json().length, 3)
    assert.deepEqual((await service.get('/structures', riverToken)).json(), [river])
    assert.deepEqual((await service.get('/structures', nobodyToken)).json(), [])
  })

  test('slashes at the end of the path and in it make no difference', async () => {
    const expected = (await service.get('/structures', token)).text

    for (const path of ['/structures/', '//structures', '/structures//'])
      assert.equal((await service.get(path, token)).text, expected, path)
  })

  test('unknown parameters are ignored', async () => {
    const response = await service.get('/structures?_=1719&page=2&token2[]=x', token)

    assert.equal(response.json().length, 3)
  })

  test('Chinese names are UTF-8, and the header says so', async () => {
    const response = await service.get('/structures', token)

    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.ok(response.bytes.includes(Buffer.from('长江大桥', 'utf8')))
  })

  test('an empty site has no structures, and no token can be issued', async () => {
    await using empty = await withService()

    const response = await empty.call('/api/v1/structures')

    assert.equal(response.status, 401)
    await assert.rejects(empty.createApplication(), /There are no users\./)
  })

  test('a site of users only has an empty list', async () => {
    await using bare = await withService({
      site: 'timeZone: UTC\nusers: [{ id: 1, name: A, structures: all }]\n',
    })

    const own = await bare.issueToken()

    assert.equal((await bare.get('/structures', own)).text, '[]')
    assert.equal((await bare.get('/user/camera/list', own)).text, '[]')
    assert.deepEqual((await bare.post('/users/1/alarms', own)).json(), { count: 0, alarms: [] })
  })
})

describe('listFactors', () => {
  const strain = {
    id: IDS.strain,
    name: '应变监测',
    items: [
      { index: 0, name: '应变', unit: 'µε', precision: 0.1 },
      { index: 1, name: '温度', unit: '°C', precision: 0.1 },
    ],
  }
  const water = {
    id: IDS.water,
    name: 'Water level',
    items: [{ index: 0, name: 'Water level', unit: 'm', precision: 0.001 }],
  }

  test('every factor meant for the type of structure comes with `checked`', async () => {
    const factors = (await service.get('/structures/1/factors', token)).json()
    const ofRiver = (await service.get('/structures/2/factors', token)).json()

    assert.deepEqual(
      factors.map((one: any) => [one.id, one.checked]),
      [
        [15, true],
        [17, false],
        [18, false],
        [19, true],
        [33, true],
      ],
    )
    assert.deepEqual(factors[0], { ...strain, checked: true })
    assert.deepEqual(
      ofRiver.map((one: any) => one.id),
      [17, 18, 19, 33],
    )
  })

  test('with `display` the configured ones come, with `timeDivision` and without `checked`', async () => {
    const bridge = await service.get('/structures/1/factors?display=true', token)
    const river = await service.get('/structures/2/factors?display=true', token)

    assert.deepEqual(
      bridge.json().map((one: any) => one.id),
      [15, 33, 19],
    )
    assert.deepEqual(bridge.json()[0], { ...strain, timeDivision: false })
    assert.deepEqual(river.json()[0], { ...water, timeDivision: true })
  })

  test('`display` is set in every spelling but false and 0', async () => {
    for (const spelling of ['display', 'display=', 'display=true', 'display=1', 'display=yes']) {
      const response = await service.get(`/structures/2/factors?${spelling}`, token)
      assert.equal(response.json().length, 2, spelling)
    }
    for (const spelling of ['display=false', 'display=0', 'display=FALSE', '']) {
      const response = await service.get(`/structures/2/factors?${spelling}`, token)
      assert.equal(response.json().length, 4, spelling)
    }
  })

  test('a structure without factors has none configured', async () => {
    const response = await service.get('/structures/3/factors?display', token)

    assert.deepEqual(response.json(), [])
  })
})

describe('listStations', () => {
  test('stations come by factor and group, the default group last and named after its factor', async () => {
    const response = (await service.get('/structures/1/stations', token)).json()

    assert.deepEqual(
      response.map((one: any) => [one.factorId, one.factorName, one.groups.length]),
      [
        [15, '应变监测', 2],
        [33, 'Vibration', 1],
        [19, 'Air', 1],
      ],
    )
    const [named, byDefault] = response[0].groups
    assert.deepEqual(named, {
      id: 11,
      name: '跨中截面',
      typeId: '2',
      params: { height: { name: '高度', unit: 'm' } },
      stations: [
        {
          id: 1001,
          name: '应变-01',
          portrait: 'section-a.png',
          labels: ['跨中', 'lower flange'],
          groupParams: { height: 3.5 },
          multiParams: { combination: [1, 2] },
        },
      ],
    })
    assert.equal(byDefault.name, '应变监测')
    assert.deepEqual(byDefault.params, {})
    assert.deepEqual(byDefault.stations[0], {
      id: 1002,
      name: '应变-02',
      portrait: '',
      labels: [],
      groupParams: {},
    })
  })

  test('`factorId` narrows to one factor; one that is not configured has no entry', async () => {
    const one = await service.get('/structures/1/stations?factorId=33', token)
    const none = await service.get('/structures/1/stations?factorId=17', token)
    const all = await service.get('/structures/1/stations?factorId=', token)

    assert.deepEqual(
      one.json().map((entry: any) => entry.factorId),
      [33],
    )
    assert.deepEqual(none.json(), [])
    assert.equal(all.json().length, 3)
  })

  test('a structure without factors has no stations', async () => {
    assert.deepEqual((await service.get('/structures/3/stations', token)).json(), [])
  })

  test('group ids are 32-bit, unique, and the same after another site file and a restart', async () => {
    const { applySite } = await import('../../src/site/apply/apply.ts')
    await using first = await withService({ site: SITE })
    const ids = await groupIds(first)

    const emptied = SITE.replace('stations: [{ id: 1031, name: A-01 }]', 'stations: []')
    assert.notEqual(emptied, SITE)
    await applySite(first.storage, { text: emptied, fileName: 'site.yaml' })
    const withoutVibration = await groupIds(first)
    await applySite(first.storage, { text: SITE, fileName: 'site.yaml' })
    await using second = await withService({ folder: first.folder })

    assert.equal(new Set(ids.map(([, id]: any) => id)).size, ids.length)
    const byDefault = ids.filter(([, id]: any) => id >= FIRST_DEFAULT_GROUP_ID)
    assert.equal(byDefault.length, 5)
    assert.ok(ids.every(([, id]: any) => id < 2 ** 31))
    assert.equal(withoutVibration.length, ids.length - 1)
    assert.deepEqual(await groupIds(first), ids)
    assert.deepEqual(await groupIds(second), ids)
  })
})

describe('the order of checks', () => {
  const paths = ['/structures/ID/factors', '/structures/ID/stations']

  test('first 401: without a token the parameters are not checked', async () => {
    for (const path of paths)
      for (const id of ['1', '99', 'abc']) {
        const response = await service.call(`/api/v1${path.replace('ID', id)}`)
        assert.equal(response.status, 401)
        assert.equal(response.json().name, 'Unauthorized')
      }
  })

  test('then 400: an id must be a whole number that fits 32 bits', async () => {
    for (const path of paths)
      for (const id of ['abc', '0', '-1', '1.5', '2147483648', '1e400', '%20']) {
        const response = await service.get(path.replace('ID', id), riverToken)
        assert.equal(response.status, 400, id)
        assert.equal(response.json().name, 'FindError')
        assert.match(
          response.json().message,
          /^(Factors|Stations) query failed: the path parameter "structureId" (must be|is missing: it must be) a whole number from 1 to 2147483647\.$/,
        )
      }
    const factor = await service.get('/structures/99/stations?factorId=x', token)
    assert.equal(factor.status, 400)
    assert.match(factor.json().message, /the query parameter "factorId" must be a whole number/)
  })

  test('then 404: there is no such structure or factor', async () => {
    for (const path of paths) {
      const response = await service.get(path.replace('ID', '99'), riverToken)
      assert.equal(response.status, 404)
      assert.deepEqual(response.json(), { name: 'NotFound', message: 'There is no structure 99.' })
    }
    const response = await service.get('/structures/1/stations?factorId=98', riverToken)
    assert.equal(response.status, 404)
    assert.deepEqual(response.json(), { name: 'NotFound', message: 'There is no factor 98.' })
  })

  test('then 403: the user has no access to the structure', async () => {
    for (const path of paths) {
      const response = await service.get(path.replace('ID', '1'), riverToken)
      assert.equal(response.status, 403)
      assert.deepEqual(response.json(), {
        name: 'Forbidden',
        message: 'You do not have access to structure 1.',
      })
    }
  })
})

describe('an unknown path', () => {
  test('is a 404 that repeats nothing of the request', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/structure'],
      ['GET', '/api/v1'],
      ['POST', '/'],
      ['GET', '/manage/v1/sites'],
      ['POST', '/api/v1/structures'],
      ['GET', '/api/v1/oauth2/token'],
      ['GET', '/ingest/v1/theme'],
      ['DELETE', '/api/v1/structures/1/factors'],
    ] as const) {
      const response = await service.call(`${path}?token=${token}&license=DEMO-1`, { method })
      assert.equal(response.status, 404, `${method} ${path}`)
      assert.deepEqual(response.json(), {
        name: 'NotFound',
        message: 'There is nothing at this path.',
      })
    }
  })

  test('that cannot be decoded is a 400, without the token in it', async () => {
    const response = await service.call(`/api/v1/structures/%E0%A4%A/factors?token=${token}`)

    assert.equal(response.status, 400)
    assert.deepEqual(response.json(), {
      name: 'FindError',
      message: 'The request cannot be processed: the path is not a well-formed URL.',
    })
    assert.ok(!response.text.includes(token))
  })

  test('that cannot be decoded has the error name of the operations below its beginning', async () => {
    for (const [path, name] of [
      ['/api/v1/stations/%zz/data', 'FindError'],
      ['/api/v1/users/%E0%A4%A/alarms', 'FindError'],
      ['/api/v1/oauth2/%zz', 'RequestError'],
      ['/ingest/v1/%zz', 'IngestError'],
      ['/manage/v1/structures/%/', 'FindError'],
      ['/%zz', 'BadRequest'],
    ] as const) {
      const response = await service.call(`${path}?token=${token}`)

      assert.deepEqual([path, response.status, response.json().name], [path, 400, name])
    }
  })
})
