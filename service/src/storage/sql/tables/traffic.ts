export type TrafficTables = {
  traffic_records: {
    structure_id: number
    time: number
    identity: string
    overload: number
    license: string
    load: number
    record: string
    details: string
  }
}
