import type { deleteRecords, listSensorRecords, listStationRecords } from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

export const records = {
  listStationRecords: endpoint<typeof listStationRecords, { defaults: 'limit' }>({
    method: 'GET',
    url: '/stations/:stationId/records',
  }),
  listSensorRecords: endpoint<typeof listSensorRecords, { defaults: 'limit' }>({
    method: 'GET',
    url: '/sensors/:sensorId/records',
  }),
  deleteRecords: endpoint<typeof deleteRecords, {}>({ method: 'POST', url: '/records/delete' }),
}
