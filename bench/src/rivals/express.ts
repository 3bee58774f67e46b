/**
 * What people write by hand: Express and PostgreSQL, a row a record with a column an item, `res.json`.
 *
 * It is kind to itself: the database writes the time as it is shown, which a date library would take
 * longer for, and no ORM stands between.
 */
import { gzip } from 'node:zlib'
import express, { type Handler } from 'express'
import { Pool } from 'pg'
import { ITEMS, stationName } from '../site.ts'
import { listen, receiveSettings } from './listen.ts'

const { database: connectionString, ...settings } = await receiveSettings()
const pool = new Pool({ connectionString })

const READ = `
  select x, y, z, to_char(time at time zone 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS') as time
  from records
  where station = $1
    and time >= $2::timestamp at time zone 'Asia/Shanghai'
    and time <= $3::timestamp at time zone 'Asia/Shanghai'
  order by records.time`

const compress: Handler = (request, response, next) => {
  if (request.headers['accept-encoding'] === 'gzip') {
    const send = response.send
    response.send = (body) => {
      if (typeof body !== 'string') return send.call(response, body)
      gzip(body, { level: 1 }, (_error, compressed) => {
        response.setHeader('content-encoding', 'gzip')
        send.call(response, compressed)
      })
      return response
    }
  }
  next()
}

const authenticate: Handler = (request, response, next) => {
  if (request.query['token'] === settings.token) next()
  else response.status(401).json({ name: 'Unauthorized', message: 'The token is not known.' })
}

const app = express()
app.use(compress)
// Express 5 answers for a handler that rejects.
// oxlint-disable-next-line oxc/no-async-endpoint-handlers
app.get('/api/v1/stations/theme/data', authenticate, async (request, response) => {
  const { stations = '', startTime, endTime } = request.query
  const ids = stations.split(',').map(Number)
  response.json({
    items: ITEMS,
    stations: await Promise.all(
      ids.map(async (id) => ({
        id,
        name: stationName(id),
        data: (await pool.query(READ, [id, startTime, endTime])).rows,
      })),
    ),
  })
})

listen(settings, app)
