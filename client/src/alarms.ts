import type {
  confirmAlarm,
  countAlarms,
  getAlarmSnapshot,
  listAlarmDetails,
  listAlarms,
  listAlarmSnapshots,
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
