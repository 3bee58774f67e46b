import type {
  confirmAlarm,
  confirmAlarms,
  countAlarms,
  getAlarmSnapshot,
  listAlarmDetails,
  listAlarms,
  listAlarmSnapshots,
  listShelvings,
  searchAlarms,
  shelveAlarms,
  unshelveAlarms,
} from '@plumbline/contract'
import { endpoint } from './endpoint.ts'

type PageMember = 'limit' | 'offset' | 'orderBy' | 'orderDirection'

export const alarms = {
  countAlarms: endpoint<typeof countAlarms>({
    method: 'GET',
    url: '/users/:userId/alarms/:status/count',
  }),
  listAlarmDetails: endpoint<typeof listAlarmDetails>({
    method: 'GET',
    url: '/alarms/:alarmId/details',
  }),
  listAlarms: endpoint<typeof listAlarms, { defaults: PageMember }>({
    method: 'POST',
    url: '/users/:userId/alarms',
    isRepeatable: true,
    query: ['limit', 'offset', 'orderBy', 'orderDirection'] satisfies PageMember[],
  }),
}

export const alarmManagement = {
  searchAlarms: endpoint<typeof searchAlarms, { defaults: PageMember }>({
    method: 'GET',
    url: '/alarms',
  }),
  confirmAlarms: endpoint<typeof confirmAlarms>({ method: 'POST', url: '/alarms/confirm' }),
  shelveAlarms: endpoint<typeof shelveAlarms>({ method: 'POST', url: '/alarms/shelve' }),
  unshelveAlarms: endpoint<typeof unshelveAlarms>({ method: 'POST', url: '/alarms/unshelve' }),
  listShelvings: endpoint<typeof listShelvings>({
    method: 'GET',
    url: '/alarms/:alarmId/shelvings',
  }),
  confirmAlarm: endpoint<typeof confirmAlarm>({
    method: 'POST',
    url: '/alarms/:alarmId/confirm',
  }),
  listAlarmSnapshots: endpoint<typeof listAlarmSnapshots>({
    method: 'GET',
    url: '/alarms/:alarmId/snapshots',
  }),
  getAlarmSnapshot: endpoint<typeof getAlarmSnapshot>({
    method: 'GET',
    url: '/alarms/:alarmId/snapshots/:snapshotId',
  }),
}
