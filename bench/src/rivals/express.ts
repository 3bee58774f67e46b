/**
 * What people write by hand: Express, a row a record with a column an item, `res.json`.
 *
 * It is kind to itself: the time lies as text, as it is shown, and the statement is prepared.
 */
import { gzip } from 'node:zlib'
import express, { type Handler } from 'express'
import Sqlite from 'better-sqlite3'
import { ITEMS, stationName } from '../site.ts'
import { listen, receiveSettings } from './listen.ts'

const { file, ...settings } = await receiveSettings()
const database = new Sqlite(file, { readonly: true })
const read = database.prepare(
  'select x, y, z, time from records where station = ? and time between ? and ? order by time',
)

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
app.get('/api/v1/stations/theme/data', authenticate, (request, response) => {
  const { stations = '', startTime, endTime } = request.query
  const ids = stations.split(',').map(Number)
  response.json({
    items: ITEMS,
    stations: ids.map((id) => ({
      id,
      name: stationName(id),
      data: read.all(id, startTime, endTime),
    })),
  })
})

listen(settings, app)
