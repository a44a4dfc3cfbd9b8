/**
 * Speaker models of the published shapes: pyannote segmentation 3.0, WeSpeaker ResNet34 and 3D-Speaker CAM++. Their weights are random
 * unless the caller has others, so what they say is nonsense; what they cost is not.
 */
import { createGraph } from './onnx.ts'
import type { Attributes, Graph, Shape } from './onnx.ts'
import { createRandom } from './random.ts'

/** The values of a parameter, by its name in the published checkpoint. */
export type Weights = (name: string, shape: readonly number[]) => Float32Array

/** Weights that keep the size of what flows through the network. Always the same for a seed. */
function randomWeights (seed = 1): Weights {
  const random = createRandom(seed)
  return (name, shape) => {
    const size = shape.reduce((product, each) => product * each, 1)
    if (name.endsWith('running_var')) return new Float32Array(size).fill(1)
    const fanIn = shape.length > 1 ? size / shape[0]! : 1
    // The last layer exaggerates, so that speakers change.
    const isLast = name.startsWith('classifier')
    const scale = shape.length > 1 ? (isLast ? 40 : 1) * Math.sqrt(3 / fanIn) : isLast ? 0 : 0.1
    const centre = shape.length === 1 && name.endsWith('weight') ? 1 : 0
    return Float32Array.from({ length: size }, () => centre + scale * (2 * random() - 1))
  }
}

type Layers = ReturnType<typeof createLayers>
function createLayers (graph: Graph, weights: Weights) {
  const parameter = (name: string, shape: readonly number[]): string => graph.constant(weights(name, shape), shape)
  return {
    parameter,
    convolve: (x: string, name: string, shape: readonly number[], attributes: Attributes, hasBias = false): string =>
      graph.node('Conv', [x, parameter(`${name}.weight`, shape), ...(hasBias ? [parameter(`${name}.bias`, [shape[0]!])] : [])], attributes),
    normalize: (x: string, name: string, size: number, hasScale = true): string => graph.node('BatchNormalization', [
      x,
      hasScale ? parameter(`${name}.weight`, [size]) : graph.constant(new Float32Array(size).fill(1), [size]),
      hasScale ? parameter(`${name}.bias`, [size]) : graph.constant(new Float32Array(size), [size]),
      parameter(`${name}.running_mean`, [size]), parameter(`${name}.running_var`, [size])
    ]),
    relu: (x: string): string => graph.node('Relu', [x])
  }
}

// ---------------------------------------------------------------- segmentation

const HIDDEN = 128
/** torch has the gates in the order input, forget, cell, output; ONNX has input, output, forget, cell. */
const GATES = [0, 3, 1, 2]
const inOnnxOrder = (values: Float32Array): Float32Array => {
  const size = values.length / 4
  const ordered = new Float32Array(values.length)
  for (const [place, gate] of GATES.entries()) ordered.set(values.subarray(gate * size, (gate + 1) * size), place * size)
  return ordered
}

function join (arrays: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    joined.set(array, at)
    at += array.length
  }
  return joined
}

function addLstm (graph: Graph, weights: Weights, x: string, layer: number, size: number): string {
  const both = (name: string, shape: readonly number[]): Float32Array[] =>
    ['', '_reverse'].map((side) => inOnnxOrder(weights(`lstm.${name}_l${layer}${side}`, shape)))
  const [inputs, states] = [both('weight_ih', [4 * HIDDEN, size]), both('weight_hh', [4 * HIDDEN, HIDDEN])]
  const [ih, hh] = [both('bias_ih', [4 * HIDDEN]), both('bias_hh', [4 * HIDDEN])]
  const y = graph.node('LSTM', [
    x, graph.constant(join(inputs), [2, 4 * HIDDEN, size]), graph.constant(join(states), [2, 4 * HIDDEN, HIDDEN]),
    graph.constant(join([ih[0]!, hh[0]!, ih[1]!, hh[1]!]), [2, 8 * HIDDEN])
  ], { direction: 'bidirectional', hidden_size: HIDDEN })
  return graph.node('Reshape', [graph.node('Transpose', [y], { perm: [0, 2, 1, 3] }), graph.whole([0, 0, 2 * HIDDEN])])
}

function addLinear (graph: Graph, weights: Weights, x: string, name: string, [rows, columns]: readonly [number, number]): string {
  const values = weights(`${name}.weight`, [rows, columns])
  const turned = Float32Array.from(values, (_, index) => values[(index % rows) * columns + Math.floor(index / rows)]!)
  const product = graph.node('MatMul', [x, graph.constant(turned, [columns, rows])])
  return graph.node('Add', [product, graph.constant(weights(`${name}.bias`, [rows]), [rows])])
}

/** `filters`: the name of 80 filters of 251 samples. The rest has the names of the checkpoint. */
export function writeSegmentation (weights: Weights = randomWeights(), { classes = 7 } = {}): Buffer {
  const graph = createGraph()
  const { parameter, convolve } = createLayers(graph, weights)
  const normalize = (x: string, name: string, size: number): string =>
    graph.node('InstanceNormalization', [x, parameter(`${name}.weight`, [size]), parameter(`${name}.bias`, [size])])
  const shrink = (x: string, layer: number, size: number): string => graph.node('LeakyRelu', [
    normalize(graph.node('MaxPool', [x], { kernel_shape: [3], strides: [3] }), `sincnet.norm1d.${layer}`, size)
  ])
  const heard = graph.node('Conv', [normalize('x', 'sincnet.wav_norm1d', 1), parameter('filters', [80, 1, 251])], { strides: [10] })
  let x = shrink(graph.node('Abs', [heard]), 0, 80)
  x = shrink(convolve(x, 'sincnet.conv1d.1', [60, 80, 5], {}, true), 1, 60)
  x = shrink(convolve(x, 'sincnet.conv1d.2', [60, 60, 5], {}, true), 2, 60)
  x = graph.node('Transpose', [x], { perm: [2, 0, 1] })
  for (let layer = 0; layer < 4; layer++) x = addLstm(graph, weights, x, layer, layer === 0 ? 60 : 2 * HIDDEN)
  x = graph.node('Transpose', [x], { perm: [1, 0, 2] })
  x = graph.node('LeakyRelu', [addLinear(graph, weights, x, 'linear.0', [128, 256])])
  x = graph.node('LeakyRelu', [addLinear(graph, weights, x, 'linear.1', [128, 128])])
  x = graph.node('LogSoftmax', [addLinear(graph, weights, x, 'classifier', [classes, 128])], { axis: -1 })
  return graph.finish({ x: ['N', 1, 'T'] }, { name: 'y', value: x, shape: ['N', 'frames', classes] }, {
    model_type: 'pyannote-segmentation-3.0', num_speakers: '3', powerset_max_classes: '2', num_classes: String(classes),
    sample_rate: '16000', window_size: '160000', receptive_field_size: '991', receptive_field_shift: '270'
  })
}

// ---------------------------------------------------------------- embeddings

/** Mean and standard deviation over time, the last axis, of (N, channels, time). */
function addStatistics (graph: Graph, x: string): string {
  const mean = graph.node('ReduceMean', [x], { axes: [-1] })
  const off = graph.node('Sub', [x, mean])
  const variance = graph.node('ReduceMean', [graph.node('Mul', [off, off])], { axes: [-1] })
  const std = graph.node('Sqrt', [graph.node('Add', [variance, graph.constant(Float32Array.of(1e-7), [1])])])
  return graph.node('Flatten', [graph.node('Concat', [mean, std], { axis: 1 })])
}

const PAD = [1, 1, 1, 1]
/** Two convolutions beside a short cut. Only the first shrinks the frequencies, and the time if `stride` has a second number. */
function addBlock (
  graph: Graph, layers: Layers, x: string, name: string, [from, to]: readonly [number, number], strides: readonly number[]
): string {
  const { convolve, normalize, relu } = layers
  const first = relu(normalize(convolve(x, `${name}.conv1`, [to, from, 3, 3], { pads: PAD, strides }), `${name}.bn1`, to))
  const second = normalize(convolve(first, `${name}.conv2`, [to, to, 3, 3], { pads: PAD }), `${name}.bn2`, to)
  const same = from === to && strides.every((stride) => stride === 1)
  const short = same ? x : normalize(convolve(x, `${name}.shortcut.0`, [to, from, 1, 1], { strides }), `${name}.shortcut.1`, to)
  return relu(graph.node('Add', [second, short]))
}

/** Features (N, T, 80) as an image (N, 1, 80, T). */
const addImage = (graph: Graph, input: string): string =>
  graph.node('Unsqueeze', [graph.node('Transpose', [input], { perm: [0, 2, 1] }), graph.whole([1])])

const features: Shape = ['B', 'T', 80]

/** WeSpeaker ResNet34: 256 numbers. */
export function writeResNet34 (weights: Weights = randomWeights(), { bins = 80 } = {}): Buffer {
  const graph = createGraph()
  const layers = createLayers(graph, weights)
  const { convolve, normalize, relu } = layers
  let x = relu(normalize(convolve(addImage(graph, 'feats'), 'conv1', [32, 1, 3, 3], { pads: PAD }), 'bn1', 32))
  let from = 32
  for (const [stage, count] of [3, 4, 6, 3].entries()) {
    const to = 32 * 2 ** stage
    for (let block = 0; block < count; block++) {
      const stride = block === 0 && stage > 0 ? 2 : 1
      x = addBlock(graph, layers, x, `layer${stage + 1}.${block}`, [from, to], [stride, stride])
      from = to
    }
  }
  const rows = Math.ceil(bins / 8)
  x = addStatistics(graph, graph.node('Reshape', [x, graph.whole([0, 256 * rows, -1])]))
  x = addLinear(graph, weights, x, 'seg_1', [256, 512 * rows])
  return graph.finish({ feats: ['B', 'T', bins] }, { name: 'embs', value: x, shape: ['B', 256] },
    { framework: 'wespeaker', sample_rate: '16000', output_dim: '256' })
}

/** The mean of each 100 frames, for each frame, plus the mean of all. */
function addContext (graph: Graph, x: string): string {
  const segments = graph.node('AveragePool', [x], { kernel_shape: [100], strides: [100], ceil_mode: 1 })
  const repeated = graph.node('Tile', [graph.node('Unsqueeze', [segments, graph.whole([3])]), graph.whole([1, 1, 1, 100])])
  const length = graph.node('Slice', [graph.node('Shape', [x]), graph.whole([2]), graph.whole([3])])
  const whole = graph.node('Reshape', [repeated, graph.whole([0, 0, -1])])
  const cut = graph.node('Slice', [whole, graph.whole([0]), length, graph.whole([2])])
  return graph.node('Add', [graph.node('ReduceMean', [x], { axes: [-1] }), cut])
}

/** 3D-Speaker CAM++: 192 numbers. */
export function writeCamPlus (weights: Weights = randomWeights()): Buffer {
  const graph = createGraph()
  const layers = createLayers(graph, weights)
  const { convolve, normalize, relu } = layers
  let x = relu(normalize(convolve(addImage(graph, 'x'), 'head.conv1', [32, 1, 3, 3], { pads: PAD }), 'head.bn1', 32))
  for (const name of ['head.layer1.0', 'head.layer1.1', 'head.layer2.0', 'head.layer2.1']) {
    x = addBlock(graph, layers, x, name, [32, 32], name.endsWith('0') ? [2, 1] : [1, 1])
  }
  x = relu(normalize(convolve(x, 'head.conv2', [32, 32, 3, 3], { pads: PAD, strides: [2, 1] }), 'head.bn2', 32))
  x = graph.node('Reshape', [x, graph.whole([0, 320, -1])])
  x = relu(normalize(convolve(x, 'xvector.tdnn.linear', [128, 320, 5], { pads: [2, 2], strides: [2] }),
    'xvector.tdnn.nonlinear.batchnorm', 128))
  let channels = 128
  const blocks = [{ count: 12, dilation: 1 }, { count: 24, dilation: 2 }, { count: 16, dilation: 2 }]
  for (const [block, { count, dilation }] of blocks.entries()) {
    for (let layer = 1; layer <= count; layer++) {
      const name = `xvector.block${block + 1}.tdnnd${layer}`
      let y = relu(normalize(x, `${name}.nonlinear1.batchnorm`, channels))
      y = relu(normalize(convolve(y, `${name}.linear1`, [128, channels, 1], {}), `${name}.nonlinear2.batchnorm`, 128))
      const local = convolve(y, `${name}.cam_layer.linear_local`, [32, 128, 3], { pads: [dilation, dilation], dilations: [dilation] })
      const mask = relu(convolve(addContext(graph, y), `${name}.cam_layer.linear1`, [64, 128, 1], {}, true))
      const gate = graph.node('Sigmoid', [convolve(mask, `${name}.cam_layer.linear2`, [32, 64, 1], {}, true)])
      x = graph.node('Concat', [x, graph.node('Mul', [local, gate])], { axis: 1 })
      channels += 32
    }
    const transit = `xvector.transit${block + 1}`
    x = convolve(relu(normalize(x, `${transit}.nonlinear.batchnorm`, channels)), `${transit}.linear`, [channels / 2, channels, 1], {})
    channels /= 2
  }
  x = addStatistics(graph, relu(normalize(x, 'xvector.out_nonlinear.batchnorm', channels)))
  x = convolve(graph.node('Unsqueeze', [x, graph.whole([2])]), 'xvector.dense.linear', [192, 2 * channels, 1], {})
  x = graph.node('Flatten', [normalize(x, 'xvector.dense.nonlinear.batchnorm', 192, false)])
  return graph.finish({ x: features }, { name: 'embedding', value: x, shape: ['N', 192] }, {
    framework: '3d-speaker', sample_rate: '16000', output_dim: '192', normalize_samples: '1', feature_normalize_type: 'global-mean'
  })
}
