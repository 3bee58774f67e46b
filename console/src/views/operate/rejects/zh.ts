import type { Texts } from '../../../texts/shape.ts'
import type { en } from './en.ts'

export const zh: Texts<typeof en> = {
  label: '拒收记录',
  origin: '来源',
  allOrigins: '全部来源',
  place: '位置',
  reason: '原因',
  received: '接收时间',
  size: '大小',
  empty: '没有拒收记录',
  emptyHint:
    '数据源和监视文件夹送来而无法存储的内容保存在这里。通过 HTTP 发送时，被拒绝的记录在响应中返回给发送方。',
  selectAll: '选择当前显示的全部记录',
  select: (id) => `选择拒收记录 ${id}`,
  selected: (count) => `已选 ${count} 条`,
  replay: '重新提交',
  replayHint: '排除原因后，重新提交会再次尝试入库。',
  drop: '删除',
  dropTitle: (count) => `删除这 ${count} 条拒收记录？`,
  dropHint: '删除后无法恢复，其中的记录不会入库。',
  replayed: (count) => `已入库 ${count} 条。`,
  still: (count) => `${count} 条再次被拒收；原因见各条记录。`,
  dropped: (count) => `已删除 ${count} 条。`,
  again: '再次被拒收：',
  detail: (id) => `拒收记录 ${id}`,
  correct: '更正',
  corrected: '更正后的内容',
  correctedHint:
    '请保持收到内容的格式和其中记录的顺序。更正后的内容存储成功之前，收到的内容一直保留。',
  store: '存储',
  payload: '收到的内容',
  binary: '内容不是文本，以十六进制显示。',
  shortened: (size) => `显示 ${size} 中的前 64 kB。`,
}
