import { textOf } from '../spec/_pages.ts'

type Panel = {
  id: number
  type: string
  title: string
  description?: string
  datasource?: { uid: string }
  targets?: { refId: string; expr: string }[]
  gridPos: { x: number; y: number; w: number; h: number }
}

type Dashboard = {
  panels: Panel[]
  templating: { list: { name: string; query: string; current: { value: unknown } }[] }
}

export const DASHBOARD: Dashboard = JSON.parse(textOf('deploy/grafana/dashboards/plumbline.json'))

export const { panels } = DASHBOARD

/** What the panels ask Prometheus. */
export const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
