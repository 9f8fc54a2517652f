package claims

import (
	"path"
	"slices"
)

// references are the publications by key. DOIs and numbers of arXiv are given where they
// are known: each was found beside the title in a public text.
var references = []Reference{
	{
		Key: "ambati2020waiting", Title: "Waiting Game: Optimally Provisioning Fixed Resources for Cloud-Enabled Schedulers",
		Authors: []string{"Pradeep Ambati", "Noman Bashir", "David Irwin", "Prashant Shenoy"},
		Venue:   "SC 2020", Book: "International Conference for High Performance Computing, Networking, Storage and Analysis", Year: 2020,
		DOI: "10.1109/SC41405.2020.00071",
	},
	{
		Key: "athlur2022varuna", Title: "Varuna: Scalable, Low-cost Training of Massive Deep Learning Models",
		Authors: []string{"Sanjith Athlur", "Nitika Saran", "Muthian Sivathanu", "Ramachandran Ramjee", "Nipun Kwatra"},
		Venue:   "EuroSys 2022", Book: "European Conference on Computer Systems", Year: 2022,
		DOI:   "10.1145/3492321.3519584",
		ArXiv: "2111.04007",
	},
	{
		Key: "carver2026notebookos", Title: "NotebookOS: A Replicated Notebook Platform for Interactive Training with On-Demand GPUs",
		Authors: []string{"Benjamin Carver", "Jingyuan Zhang", "Haoliang Wang", "Kanak Mahadik", "Yue Cheng"},
		Venue:   "ASPLOS 2026", Book: "ACM International Conference on Architectural Support for Programming Languages and Operating Systems", Year: 2026,
		ArXiv: "2503.20591",
	},
	{
		Key: "chang2025eva", Title: "Eva: Cost-Efficient Cloud-Based Cluster Scheduling",
		Authors: []string{"Tzu-Tao Chang", "Shivaram Venkataraman"},
		Venue:   "EuroSys 2025", Book: "European Conference on Computer Systems", Year: 2025,
		ArXiv: "2503.07437",
		Code:  "uw-mad-dash/Eva@0d735ce",
	},
	{
		Key: "daly2006higher", Title: "A higher order estimate of the optimum checkpoint interval for restart dumps",
		Authors: []string{"John T. Daly"},
		Venue:   "FGCS 2006", Book: "Future Generation Computer Systems", Year: 2006,
		Volume: "22(3)",
		DOI:    "10.1016/j.future.2004.11.016",
	},
	{
		Key: "duan2024parcae", Title: "Parcae: Proactive, Liveput-Optimized DNN Training on Preemptible Instances",
		Authors: []string{"Jiangfei Duan", "Ziang Song", "Xupeng Miao", "Xiaoli Xi", "Dahua Lin", "Harry Xu", "Minjia Zhang", "Zhihao Jia"},
		Venue:   "NSDI 2024", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2024,
		ArXiv: "2403.14097",
		Code:  "JF-D/Parcae@efedee7",
	},
	{
		Key: "gu2019tiresias", Title: "Tiresias: A GPU Cluster Manager for Distributed Deep Learning",
		Authors: []string{"Juncheng Gu", "Mosharaf Chowdhury", "Kang G. Shin", "Yibo Zhu", "Myeongjae Jeon", "Junjie Qian", "Hongqiang Liu", "Chuanxiong Guo"},
		Venue:   "NSDI 2019", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2019,
		Code: "SymbioticLab/Tiresias@959f9b0",
	},
	{
		Key: "jang2023oobleck", Title: "Oobleck: Resilient Distributed Training of Large Models Using Pipeline Templates",
		Authors: []string{"Insu Jang", "Zhenning Yang", "Zhen Zhang", "Xin Jin", "Mosharaf Chowdhury"},
		Venue:   "SOSP 2023", Book: "ACM Symposium on Operating Systems Principles", Year: 2023,
		DOI:   "10.1145/3600006.3613152",
		ArXiv: "2309.08125",
		Code:  "SymbioticLab/Oobleck@3b7a0c2 and @7966556",
	},
	{
		Key: "li2019speeding", Title: "Speeding up Deep Learning with Transient Servers",
		Authors: []string{"Shijian Li", "Robert J. Walls", "Lijie Xu", "Tian Guo"},
		Venue:   "ICAC 2019", Book: "IEEE International Conference on Autonomic Computing", Year: 2019,
		ArXiv: "1903.00045",
		Code:  "cake-lab/transient-deep-learning@87c6717",
	},
	{
		Key: "li2020characterizing", Title: "Characterizing and Modeling Distributed Training with Transient Cloud GPU Servers",
		Authors: []string{"Shijian Li", "Robert J. Walls", "Tian Guo"},
		Venue:   "ICDCS 2020", Book: "IEEE International Conference on Distributed Computing Systems", Year: 2020,
		ArXiv: "2004.03072",
		Code:  "cake-lab/CM-DARE@263b7f1",
	},
	{
		Key: "li2021syncswitch", Title: "Sync-Switch: Hybrid Parameter Synchronization for Distributed Deep Learning",
		Authors: []string{"Shijian Li", "Oren Mangoubi", "Lijie Xu", "Tian Guo"},
		Venue:   "ICDCS 2021", Book: "IEEE International Conference on Distributed Computing Systems", Year: 2021,
		ArXiv: "2104.08364",
		Code:  "cake-lab/Sync-Switch@09af086",
	},
	{
		Key: "li2027skynomad", Title: "SkyNomad: On Using Multi-Region Spot Instances to Minimize AI Batch Job Cost",
		Authors: []string{"Zhifei Li", "Tian Xia", "Ziming Mao", "Zihan Zhou", "Ethan J. Jackson", "Jamison Kerney", "Zhanghao Wu", "Pratik Mishra", "Yi Xu", "Yifan Qiao", "Scott Shenker", "Ion Stoica"},
		Venue:   "NSDI 2027", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2027,
		ArXiv: "2601.06520",
		Code:  "andylizf/skynomad-artifact@62b9aaa",
	},
	{
		Key: "luo2024starburst", Title: "Starburst: A Cost-aware Scheduler for Hybrid Cloud",
		Authors: []string{"Michael Luo", "Siyuan Zhuang", "Suryaprakash Vengadesan", "Romil Bhardwaj", "Justin Chang", "Eric Friedman", "Scott Shenker", "Ion Stoica"},
		Venue:   "ATC 2024", Book: "USENIX Annual Technical Conference", Year: 2024,
		Code: "michaelzhiluo/starburst@39a380a",
	},
	{
		Key: "mehboob2023sharing", Title: "Is Sharing Caring? Analyzing the Incentives for Shared Cloud Clusters",
		Authors: []string{"Talha Mehboob", "Noman Bashir", "Michael Zink", "David Irwin"},
		Venue:   "ICPE 2023", Book: "ACM/SPEC International Conference on Performance Engineering", Year: 2023,
		DOI: "10.1145/3578244.3583730",
	},
	{
		Key: "mohoney2021marius", Title: "Marius: Learning Massive Graph Embeddings on a Single Machine",
		Authors: []string{"Jason Mohoney", "Roger Waleffe", "Henry Xu", "Theodoros Rekatsinas", "Shivaram Venkataraman"},
		Venue:   "OSDI 2021", Book: "USENIX Symposium on Operating Systems Design and Implementation", Year: 2021,
		ArXiv: "2101.08358",
		Code:  "marius-team/marius",
	},
	{
		Key: "narayanan2020dynamic", Title: "Analysis and Exploitation of Dynamic Pricing in the Public Cloud for ML Training",
		Authors: []string{"Deepak Narayanan", "Keshav Santhanam", "Fiodar Kazhamiaka", "Amar Phanishayee", "Matei Zaharia"},
		Venue:   "DISPA 2020", Book: "VLDB Workshop on Distributed Infrastructure, Systems, Programming and AI", Year: 2020,
		Code: "stanford-futuredata/training_on_a_dime@85f6595",
	},
	{
		Key: "narayanan2020heterogeneity", Title: "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads",
		Authors: []string{"Deepak Narayanan", "Keshav Santhanam", "Fiodar Kazhamiaka", "Amar Phanishayee", "Matei Zaharia"},
		Venue:   "OSDI 2020", Book: "USENIX Symposium on Operating Systems Design and Implementation", Year: 2020,
		ArXiv: "2008.09213",
		Code:  "stanford-futuredata/gavel@bc66833",
	},
	{
		Key: "shang2023spotdnn", Title: "spotDNN: Provisioning Spot Instances for Predictable Distributed DNN Training in the Cloud",
		Authors: []string{"Ruitao Shang", "Fei Xu", "Zhuoyan Bai", "Li Chen", "Zhi Zhou", "Fangming Liu"},
		Venue:   "IWQoS 2023", Book: "IEEE/ACM International Symposium on Quality of Service", Year: 2023,
	},
	{
		Key: "sharma2023stash", Title: "Stash: A Comprehensive Stall-Centric Characterization of Public Cloud VMs for Distributed Deep Learning",
		Authors: []string{"Aakash Sharma", "Vivek M. Bhasi", "Sonali Singh", "Rishabh Jain", "Jashwant Raj Gunasekaran", "Subrata Mitra", "Mahmut Taylan Kandemir", "George Kesidis", "Chita R. Das"},
		Venue:   "ICDCS 2023", Book: "IEEE International Conference on Distributed Computing Systems", Year: 2023,
		ArXiv: "2208.14344",
	},
	{
		Key: "sharma2024dally", Title: "GPU Cluster Scheduling for Network-Sensitive Deep Learning",
		Authors: []string{"Aakash Sharma", "Vivek M. Bhasi", "Sonali Singh", "George Kesidis", "Mahmut T. Kandemir", "Chita R. Das"},
		Venue:   "arXiv 2024", Book: "arXiv preprint", Year: 2024,
		ArXiv: "2401.16492",
		Code:  "aakash-sharma/cluster-sim@4cd660e",
	},
	{
		Key: "sultana2024hadar", Title: "Hadar: Heterogeneity-Aware Optimization-Based Online Scheduling for Deep Learning Cluster",
		Authors: []string{"Abeda Sultana", "Fei Xu", "Xu Yuan", "Li Chen", "Nian-Feng Tzeng"},
		Venue:   "IPDPS 2024", Book: "IEEE International Parallel and Distributed Processing Symposium", Year: 2024,
		DOI: "10.1109/IPDPS57955.2024.00066",
	},
	{
		Key: "sultana2025resource", Title: "Resource Heterogeneity-Aware and Utilization-Enhanced Scheduling for Deep Learning Clusters",
		Authors: []string{"Abeda Sultana", "Nabin Pakka", "Fei Xu", "Xu Yuan", "Li Chen", "Nian-Feng Tzeng"},
		Venue:   "arXiv 2025", Book: "arXiv preprint", Year: 2025,
		ArXiv: "2503.10918",
	},
	{
		Key: "thorpe2023bamboo", Title: "Bamboo: Making Preemptible Instances Resilient for Affordable Training of Large DNNs",
		Authors: []string{"John Thorpe", "Pengzhan Zhao", "Jonathan Eyolfson", "Yifan Qiao", "Zhihao Jia", "Minjia Zhang", "Ravi Netravali", "Guoqing Harry Xu"},
		Venue:   "NSDI 2023", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2023,
		ArXiv: "2204.12013",
		Code:  "uclasystem/bamboo@8080929",
	},
	{
		Key: "wu2024late", Title: "Can't Be Late: Optimizing Spot Instance Savings under Deadlines",
		Authors: []string{"Zhanghao Wu", "Wei-Lin Chiang", "Ziming Mao", "Zongheng Yang", "Eric Friedman", "Scott Shenker", "Ion Stoica"},
		Venue:   "NSDI 2024", Book: "USENIX Symposium on Networked Systems Design and Implementation", Year: 2024,
	},
	{
		Key: "young1974first", Title: "A first order approximation to the optimum checkpoint interval",
		Authors: []string{"John W. Young"},
		Venue:   "CACM 1974", Book: "Communications of the ACM", Year: 1974,
		Volume: "17(9)",
		DOI:    "10.1145/361147.361115",
	},
}

// References returns the publications behind the claims, by key.
func References() []Reference { return slices.Clone(references) }

// ReferencesOf returns the publications behind a figure, by key: those of its own, or
// else those of its system. Closed forms and constructed cases may have none.
func ReferencesOf(figure string) []Reference {
	keys, own := referencesOf[figure]
	if !own {
		keys = referencesOf[path.Dir(figure)]
	}
	var list []Reference
	for _, r := range references {
		if slices.Contains(keys, r.Key) {
			list = append(list, r)
		}
	}
	return list
}
