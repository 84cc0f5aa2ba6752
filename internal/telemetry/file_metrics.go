package telemetry

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// The format of metrics in the file. The numbers of kinds are those of Gemini CLI's
// libraries.
type (
	fileResourceMetrics struct {
		Resource fileResource       `json:"resource"`
		Scopes   []fileScopeMetrics `json:"scopeMetrics"`
	}
	fileScopeMetrics struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"scope"`
		Metrics []fileMetric `json:"metrics"`
	}
	fileMetric struct {
		Descriptor  fileDescriptor  `json:"descriptor"`
		Temporality int             `json:"aggregationTemporality"`
		PointType   int             `json:"dataPointType"`
		Points      []fileDataPoint `json:"dataPoints"`
		Monotonic   bool            `json:"isMonotonic,omitempty"`
	}
	fileDescriptor struct {
		Name        string   `json:"name"`
		Type        string   `json:"type"` // "COUNTER" or "HISTOGRAM"
		Description string   `json:"description"`
		Unit        string   `json:"unit"`
		ValueType   int      `json:"valueType"`
		Advice      struct{} `json:"advice"`
	}
	fileDataPoint struct {
		Attributes attributes `json:"attributes"`
		Start      [2]int64   `json:"startTime"`
		End        [2]int64   `json:"endTime"`
		Value      any        `json:"value"`
	}
	fileHistogram struct {
		Min     any         `json:"min"`
		Max     any         `json:"max"`
		Sum     any         `json:"sum"`
		Buckets fileBuckets `json:"buckets"`
		Count   uint64      `json:"count"`
	}
	fileBuckets struct {
		Boundaries []float64 `json:"boundaries"`
		Counts     []uint64  `json:"counts"`
	}
)

const (
	cumulative     = 1
	pointHistogram = 0
	pointSum       = 3
	valueInt       = 0
	valueDouble    = 1
)

func metricsObject(rm *metricdata.ResourceMetrics) fileResourceMetrics {
	out := fileResourceMetrics{Resource: resourceOf(rm.Resource)}
	for _, sm := range rm.ScopeMetrics {
		var s fileScopeMetrics
		s.Scope.Name, s.Scope.Version = sm.Scope.Name, sm.Scope.Version
		for _, m := range sm.Metrics {
			s.Metrics = append(s.Metrics, metricObject(m))
		}
		out.Scopes = append(out.Scopes, s)
	}
	return out
}

func metricObject(m metricdata.Metrics) fileMetric {
	out := fileMetric{Descriptor: fileDescriptor{Name: m.Name, Description: m.Description, Unit: m.Unit},
		Temporality: cumulative}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		out.Descriptor.Type, out.PointType, out.Monotonic = "COUNTER", pointSum, data.IsMonotonic
		for _, p := range data.DataPoints {
			out.Points = append(out.Points, point(p.Attributes, p.StartTime, p.Time, p.Value))
		}
	case metricdata.Histogram[int64]:
		histogram(&out, valueInt, data)
	case metricdata.Histogram[float64]:
		histogram(&out, valueDouble, data)
	}
	return out
}

func histogram[N int64 | float64](m *fileMetric, value int, data metricdata.Histogram[N]) {
	m.Descriptor.Type, m.Descriptor.ValueType, m.PointType = "HISTOGRAM", value, pointHistogram
	for _, p := range data.DataPoints {
		low, _ := p.Min.Value()
		high, _ := p.Max.Value()
		m.Points = append(m.Points, point(p.Attributes, p.StartTime, p.Time,
			fileHistogram{low, high, p.Sum, fileBuckets{p.Bounds, p.BucketCounts}, p.Count}))
	}
}

func point(attrs attribute.Set, start, end time.Time, value any) fileDataPoint {
	return fileDataPoint{attrs.ToSlice(), hrTime(start), hrTime(end), value}
}
